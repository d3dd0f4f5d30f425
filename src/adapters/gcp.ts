import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { createNodeHandler, type NodeContext } from './node-handler.ts'
import type { NodeRequest } from './node-request.ts'
import type { NodeResponse } from './node-response.ts'
import { withRawBodyAdvice } from './raw-body-advice.ts'
import { createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'

export type { NodeContext } from './node-handler.ts'
export { type NodeRequest, toWebhookRequest } from './node-request.ts'
export type { NodeResponse } from './node-response.ts'
export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'

const ADVICE = "On Google Cloud: pass the platform's own request, whose rawBody holds the bytes"

/**
 * A function for Google Cloud, by `http` of the Functions Framework, or for Firebase, by
 * `onRequest`. The platform reads and parses a body before; the bytes it keeps, as
 * `request.rawBody`, are what is verified. Throws `WebhookConfigError` here, at start-up, for
 * whatever is wrong with the options. What goes wrong later is answered with 500 and written to the
 * console: an error that is thrown on would count as a crash of the instance.
 *
 * @example
 * ```ts
 * import { http } from '@google-cloud/functions-framework'
 * import { webhook } from 'hookproof/gcp'
 *
 * http('webhook', webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * }))
 * ```
 */
export function webhook<
  W = PaymosEvent,
  E = W,
  Req extends NodeRequest = NodeRequest,
  Res extends NodeResponse = NodeResponse,
>(
  options: HandlerOptions<W, E, NodeContext<Req, Res>>,
  handler?: EventHandler<E, NodeContext<Req, Res>>,
): (request: Req, response: Res) => Promise<void> {
  const receive = withRawBodyAdvice(createReceiver(options, handler, engine), ADVICE)
  const handle = createNodeHandler<Req, Res>(receive)
  // Nothing that a platform may pass behind the two counts as `next`.
  return (request, response) => handle(request, response)
}
