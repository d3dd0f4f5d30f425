import type { WebhookInput } from '../core/request.ts'
import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { type Answer, createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'
import { incoming, type WebRequest } from './web.ts'

export type { Answer as AzureResponse, EventHandler, HandlerOptions } from './receive.ts'
export type { WebRequest } from './web.ts'

/** What Azure Functions passed: the request, and its invocation context. */
export interface AzureContext<R = WebRequest, X = unknown> {
  readonly request: R
  readonly context: X
}

/**
 * The handler of an HTTP trigger of Azure Functions (`@azure/functions` 4), with the HMAC of
 * `node:crypto`. What `handler` or `onRejected` throws fails the invocation, which the host answers
 * with 500. Throws `WebhookConfigError` here, at start-up, for whatever is wrong with the options.
 *
 * @example
 * ```ts
 * import { app } from '@azure/functions'
 * import { webhook } from 'hookproof/azure'
 *
 * app.http('webhook', {
 *   methods: ['POST'],
 *   authLevel: 'anonymous',
 *   handler: webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *     console.log(event.event_type)
 *   }),
 * })
 * ```
 */
export function webhook<W = PaymosEvent, E = W, R extends WebRequest = WebRequest, X = unknown>(
  options: HandlerOptions<W, E, AzureContext<R, X>>,
  handler?: EventHandler<E, AzureContext<R, X>>,
): (request: R, context: X) => Promise<Answer> {
  const receive = createReceiver(options, handler, engine)
  return (request, context) => receive(incoming(request, { request, context }))
}

/** What `verify` takes of a request, which is the request itself. */
export function toWebhookRequest(request: WebRequest): WebhookInput {
  return request
}
