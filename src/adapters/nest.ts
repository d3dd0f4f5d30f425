import type { WebhookInput } from '../core/request.ts'
import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import type { FastifyRequest } from './fastify.ts'
import { asNode, type FastifyReply } from './fastify-reply.ts'
import { failed } from './node-handler.ts'
import { type NodeRequest, withParsed } from './node-request.ts'
import { type NodeResponse, send } from './node-response.ts'
import { withRawBodyAdvice } from './raw-body-advice.ts'
import { createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'

export type { FastifyRequest } from './fastify.ts'
export type { FastifyReply } from './fastify-reply.ts'
export type { NodeRequest } from './node-request.ts'
export type { NodeResponse } from './node-response.ts'
export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'

/** A request of either platform. */
export type NestRequest = NodeRequest | FastifyRequest

/** A response of either platform. */
export type NestResponse = NodeResponse | FastifyReply

/**
 * What Nest passed: in a controller the platform's own, under `app.use()` on Fastify those of Node.
 */
export interface NestContext<Req = NestRequest, Res = NestResponse> {
  readonly request: Req
  readonly response: Res
}

const ADVICE =
  'In Nest: app.use() it in main.ts, or create the app with rawBody: true, without bodyParser: false'

/**
 * A function for Nest on Express and on Fastify: for `app.use()`, for `consumer.apply()`, or to be
 * called by a controller with its `@Req()` and `@Res()`. With `app.use()` it reads the body before
 * any parser; elsewhere Nest has to keep it, by `rawBody: true`. Throws `WebhookConfigError` here,
 * at start-up, for whatever is wrong with the options; what goes wrong later goes to Nest's
 * exception filters.
 *
 * @example
 * ```ts
 * // main.ts
 * import { NestFactory } from '@nestjs/core'
 * import { webhook } from 'hookproof/nest'
 * import { AppModule } from './app.module.js'
 *
 * const app = await NestFactory.create(AppModule)
 * app.use('/webhook', webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * }))
 * await app.listen(3000)
 * ```
 */
export function webhook<
  W = PaymosEvent,
  E = W,
  Req extends NestRequest = NestRequest,
  Res extends NestResponse = NestResponse,
>(
  options: HandlerOptions<W, E, NestContext<Req, Res>>,
  handler?: EventHandler<E, NestContext<Req, Res>>,
): (request: Req, response: Res, next?: (error?: unknown) => void) => Promise<void> {
  const receive = withRawBodyAdvice(createReceiver(options, handler, engine), ADVICE)
  return async (request, response, next) => {
    const incoming = nodeRequest(request)
    const outgoing = nodeResponse(response)
    const { method, url } = incoming
    const open = () => toWebhookRequest(request)
    try {
      send(incoming, outgoing, await receive({ method, url, open, context: { request, response } }))
    } catch (error) {
      // Nest would end an answer that was begun as if it were whole; on Fastify it would not survive.
      if (outgoing.headersSent) return failed(incoming, outgoing, error)
      if (typeof next !== 'function') throw error
      next(error)
    }
  }
}

/** What `verify` takes of a request: every header line as it came, and the raw body or its stream. */
export function toWebhookRequest(request: NestRequest): WebhookInput {
  return withParsed(nodeRequest(request), request)
}

function nodeRequest(request: NestRequest): NodeRequest {
  return 'raw' in request ? request.raw : request
}

function nodeResponse(response: NestResponse): NodeResponse {
  return 'raw' in response ? asNode(response) : response
}
