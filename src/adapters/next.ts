import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { createNodeHandler, type NodeContext } from './node-handler.ts'
import type { NodeRequest } from './node-request.ts'
import { type NodeResponse, send } from './node-response.ts'
import { withRawBodyAdvice } from './raw-body-advice.ts'
import { createReceiver, type EventHandler, type HandlerOptions, refusal } from './receive.ts'

export type { NodeContext } from './node-handler.ts'
export { type NodeRequest, toWebhookRequest } from './node-request.ts'
export type { NodeResponse } from './node-response.ts'
export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'

const ADVICE =
  'In the Pages Router, export const config = { api: { bodyParser: false } } from the same file'

/**
 * An API route of the Pages Router of Next; for the App Router, see `hookproof/fetch`. Next parses
 * bodies before, unless the same file exports the `config` below. Throws `WebhookConfigError` when
 * the file is loaded for whatever is wrong with the options; what goes wrong later is thrown on to
 * Next, which answers 500.
 *
 * @example
 * ```ts
 * // pages/api/webhook.ts
 * import { webhook } from 'hookproof/next'
 *
 * export const config = { api: { bodyParser: false } }
 *
 * export default webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * })
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
  const receive = createReceiver(options, handler, engine)
  const handle = createNodeHandler(withRawBodyAdvice(receive, ADVICE))
  return (request, response) =>
    handle(request, response, (error) => {
      // Next would end an answer that was begun as if it were whole.
      if (response.headersSent) send(request, response, refusal(500, 'internal'))
      throw error
    })
}
