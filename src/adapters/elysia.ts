import type { RawBody, WebhookInput } from '../core/request.ts'
import { engine } from '../engines/default.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { withRawBodyAdvice } from './raw-body-advice.ts'
import { createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'
import { incoming, respond, type WebRequest, type WebResponse } from './web.ts'

export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'
export type { WebRequest, WebResponse, WebResponseShape } from './web.ts'

/** The context of an Elysia handler, by shape; `body` is what its parser has made of the body. */
export interface ElysiaContext {
  readonly request: WebRequest
  readonly body?: unknown
}

const ADVICE = "In Elysia, give this route the option { parse: 'none' }"

/**
 * A handler of Elysia, for a route with the option `{ parse: 'none' }`. `handler` and `onRejected`
 * get Elysia's own context; what they throw goes to `onError`. Throws `WebhookConfigError` here, at
 * start-up, for whatever is wrong with the options.
 *
 * @example
 * ```ts
 * import { Elysia } from 'elysia'
 * import { webhook } from 'hookproof/elysia'
 *
 * const receive = webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * })
 * new Elysia().post('/webhook', receive, { parse: 'none' }).listen(3000)
 * ```
 */
export function webhook<W = PaymosEvent, E = W, C extends ElysiaContext = ElysiaContext>(
  options: HandlerOptions<W, E, C>,
  handler?: EventHandler<E, C>,
): (context: C) => Promise<WebResponse> {
  const receive = withRawBodyAdvice(createReceiver(options, handler, engine), ADVICE)
  return async (context) => {
    const request = incoming(context?.request, context)
    return respond(
      context.request,
      await receive({ ...request, open: () => toWebhookRequest(context) }),
    )
  }
}

/**
 * What `verify` takes of a context: the request, or its body where `parse` is `'text'` or
 * `'arrayBuffer'`.
 */
export function toWebhookRequest({ request, body }: ElysiaContext): WebhookInput {
  return request.bodyUsed && body !== undefined
    ? { headers: request.headers, body: body as RawBody }
    : request
}
