// What every adapter takes and gives, without any library.
import type { Accepted, PaymosEvent, Scheme, StandardSchema } from 'hookproof'
import type { webhook as browser } from 'hookproof/browser'
import type { webhook as bun } from 'hookproof/bun'
import type { webhook as deno } from 'hookproof/deno'
import type {
  EventHandler,
  FetchContext,
  HandlerOptions,
  WebRequest,
  WebResponse,
  WebResponseShape,
} from 'hookproof/fetch'
import { webhook } from 'hookproof/fetch'
import type { NodeContext, NodeRequest, NodeResponse } from 'hookproof/node'
import { webhook as node, toWebhookRequest } from 'hookproof/node'
import { type WorkersContext, webhook as workers } from 'hookproof/workers'

type Ticket = { readonly kind: 'ticket'; readonly id: string }
const tickets = some<Scheme<Ticket>>()
const orders = some<StandardSchema<{ readonly order: number }>>()
const secret = 'whsec_1'

check<Equal<IsAny<WebResponse>, false>>()
check<Equal<typeof deno, typeof webhook>>()
check<Equal<typeof bun, typeof webhook>>()
check<Equal<typeof browser, typeof webhook>>()

export const plain = webhook({ secret }, (accepted, context) => {
  check<Equal<typeof accepted, Accepted<PaymosEvent>>>()
  check<Equal<typeof context, FetchContext<WebRequest, readonly unknown[]>>>()
})
check<Equal<ReturnType<typeof plain>, Promise<WebResponse>>>()

export const typed = [
  webhook({ secret, scheme: tickets }, ({ event }) => check<Equal<typeof event, Ticket>>()),
  webhook({ secret, schema: orders }, ({ event }) => check<Equal<typeof event.order, number>>()),
  webhook({ secret, scheme: tickets, schema: orders }, ({ event }) => event.order),
]

export const refused = webhook(
  {
    secret,
    onRejected({ reason, stage, status }, { request }) {
      check<Equal<typeof status, 400 | 401 | 413 | 422>>()
      check<Equal<typeof request.method, string>>()
      return [reason, stage]
    },
  },
  async () => 'what a handler returns does not matter',
)

export function misuses(): void {
  // @ts-expect-error TS2561: a misspelt option
  webhook({ secret, onReject: () => {} }, () => {})
  // @ts-expect-error TS2345: options of a scheme that is not there
  webhook<Ticket>({ secret }, () => {})
  const ofEnvironment = (env: { secret: string }) => ({ secret: env.secret })
  // @ts-expect-error TS2345: a function of the environment is for Workers
  webhook(ofEnvironment, () => {})
  // @ts-expect-error TS2339: an event's own field, before its type was looked at
  webhook({ secret }, ({ event }) => event.data.order)
}

type Env = { readonly WEBHOOK_SECRET: string }
export const worker = workers(
  (env: Env) => ({ secret: env.WEBHOOK_SECRET }),
  ({ event }, { env, context }) => {
    check<Equal<typeof event, PaymosEvent>>()
    check<Equal<typeof env, Env>>()
    check<Equal<typeof context, unknown>>()
  },
)
check<Equal<ReturnType<typeof worker>, Promise<WebResponse>>>()
export const fixed = workers({ secret, scheme: tickets }, ({ event }) => event.id)

export const nodeStyle = node({ secret }, (accepted, { request, response }) => {
  check<Equal<typeof accepted, Accepted<PaymosEvent>>>()
  check<Equal<typeof request, NodeRequest>>()
  check<Equal<typeof response, NodeResponse>>()
})
check<Equal<ReturnType<typeof nodeStyle>, Promise<void>>>()

/** A function of one's own around an adapter. */
export function logged<W, E>(
  options: HandlerOptions<W, E, NodeContext>,
  handler: EventHandler<E, NodeContext>,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return node<W, E>(options, handler)
}

type Named = [WebRequest, WebResponseShape, WorkersContext, NodeContext, FetchContext]
check<Equal<IsAny<Named[number]>, false>>()
export const input = toWebhookRequest(some<NodeRequest>())
// @ts-expect-error TS2353: the event of another platform
export const event = toWebhookRequest({ headers: {}, body: '', requestContext: {} })
