import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { createNodeHandler, type NodeContext, type NodeHandler } from './node-handler.ts'
import type { NodeRequest } from './node-request.ts'
import type { NodeResponse } from './node-response.ts'
import { withRawBodyAdvice } from './raw-body-advice.ts'
import { createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'

export type { NodeContext, NodeHandler } from './node-handler.ts'
export { type NodeRequest, toWebhookRequest } from './node-request.ts'
export type { NodeResponse } from './node-response.ts'
export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'

const ADVICE =
  'In Express: mount it before app.use(express.json()), or give that a verify that keeps req.rawBody'

/**
 * A handler for Express 5 and 4, and for what else calls its handlers `(request, response, next)`.
 * Mount it before any body parser: it reads the body by itself. Bytes or text as `request.body` or
 * `request.rawBody` are used as well. Throws `WebhookConfigError` here, at start-up, for whatever is
 * wrong with the options; what goes wrong later goes to `next`.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { webhook } from 'hookproof/express'
 *
 * const app = express()
 * app.all('/webhook', webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * }))
 * app.use(express.json())
 * app.listen(3000)
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
  return createNodeHandler(withRawBodyAdvice(createReceiver(options, handler, engine), ADVICE))
}
