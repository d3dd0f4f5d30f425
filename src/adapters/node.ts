import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { createNodeHandler, type NodeContext, type NodeHandler } from './node-handler.ts'
import type { NodeRequest } from './node-request.ts'
import type { NodeResponse } from './node-response.ts'
import { createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'

export type { NodeContext, NodeHandler } from './node-handler.ts'
export { type NodeRequest, toWebhookRequest } from './node-request.ts'
export type { NodeResponse } from './node-response.ts'
export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'

/**
 * A handler for `createServer` of `node:http` and `node:http2`, with the HMAC of `node:crypto`.
 * Throws `WebhookConfigError` here, at start-up, for whatever is wrong with the options.
 *
 * What goes wrong later is handed to `next`, if there is one. Else it is answered with 500 and
 * written to the console: the promise never rejects, because `createServer` would let that end the
 * process.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { webhook } from 'hookproof/node'
 *
 * const receive = webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * })
 * createServer(receive).listen(3000)
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
): NodeHandler<Req, Res> {
  return createNodeHandler(createReceiver(options, handler, engine))
}
