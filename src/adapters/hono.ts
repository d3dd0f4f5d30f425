import type { WebhookInput } from '../core/request.ts'
import { engine } from '../engines/default.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { keptBody } from './kept-body.ts'
import { withRawBodyAdvice } from './raw-body-advice.ts'
import { createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'
import { incoming, respond, type WebRequest, type WebResponse } from './web.ts'

export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'
export type { WebRequest, WebResponse, WebResponseShape } from './web.ts'

/** The context of a Hono handler, by shape; `bodyCache` is what its readers have kept. */
export interface HonoContext {
  readonly req: {
    readonly raw: WebRequest
    readonly bodyCache?: {
      readonly arrayBuffer?: Promise<ArrayBuffer> | ArrayBuffer
      readonly text?: Promise<string> | string
    }
  }
}

const ADVICE =
  'In Hono, mount webhook() before whatever reads c.req.raw, c.req.blob() or c.req.formData(); ' +
  'c.req.json(), c.req.text() and c.req.arrayBuffer() keep the body for it'

/**
 * A handler of Hono, in every runtime. `handler` and `onRejected` get Hono's own context; what they
 * throw goes to `app.onError`. Throws `WebhookConfigError` here, at start-up, for whatever is wrong
 * with the options.
 *
 * @example
 * ```ts
 * import { Hono } from 'hono'
 * import { webhook } from 'hookproof/hono'
 *
 * const app = new Hono()
 * app.post('/webhook', webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * }))
 * export default app
 * ```
 */
export function webhook<W = PaymosEvent, E = W, C extends HonoContext = HonoContext>(
  options: HandlerOptions<W, E, C>,
  handler?: EventHandler<E, C>,
): (context: C) => Promise<WebResponse> {
  const receive = withRawBodyAdvice(createReceiver(options, handler, engine), ADVICE)
  return async (context) => {
    const request = incoming(context?.req?.raw, context)
    return respond(
      context.req.raw,
      await receive({ ...request, open: () => toWebhookRequest(context) }),
    )
  }
}

/**
 * What `verify` takes of a context: the request, or the body that `c.req.json()`, `c.req.text()` or
 * `c.req.arrayBuffer()` has read before and kept.
 */
export function toWebhookRequest({ req: { raw, bodyCache } }: HonoContext): WebhookInput {
  const kept = bodyCache?.arrayBuffer ?? bodyCache?.text
  return kept === undefined
    ? raw
    : { headers: raw.headers, body: keptBody(Promise.resolve<ArrayBuffer | string>(kept)) }
}
