// Compiled wherever `Request` and `Response` are declared: DOM, workers, Node.
import { webhook as browser } from 'hookproof/browser'
import type { WebResponse } from 'hookproof/fetch'
import { webhook } from 'hookproof/fetch'
import { webhook as workers } from 'hookproof/workers'

const secret = 'whsec_1'

check<Equal<WebResponse, Response>>()
check<Equal<IsAny<WebResponse>, false>>()

/**
 * Next App Router, SvelteKit and the like: the argument's type comes from where the handler is put.
 */
type Route = (
  request: Request,
  context: { readonly params: Promise<{ readonly tenant: string }> },
) => Response | Promise<Response>
export const POST: Route = webhook({ secret }, async (_, { request, args: [context] }) => {
  check<Equal<typeof request, Request>>()
  check<Equal<Awaited<typeof context.params>['tenant'], string>>()
})

declare function serve(
  handler: (request: Request, info: { readonly port: number }) => Promise<Response>,
): void
serve(webhook({ secret }, (_, { args }) => check<Equal<(typeof args)[0]['port'], number>>()))

export const received: Promise<Response> = browser({ secret }, () => {})(
  new Request('https://example.com/'),
)

interface Exported<Env> {
  fetch(
    request: Request,
    env: Env,
    context: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Response>
}
export default {
  fetch: workers(
    (env) => ({ secret: env.WEBHOOK_SECRET }),
    (_, { context }) => context.waitUntil(Promise.resolve()),
  ),
} satisfies Exported<{ readonly WEBHOOK_SECRET: string }>

// @ts-expect-error TS2345: no request
webhook({ secret }, () => {})('https://example.com/')
