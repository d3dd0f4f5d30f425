import type { WebhookInput } from '../core/request.ts'
import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { asNode, type FastifyReply } from './fastify-reply.ts'
import { type NodeRequest, withParsed } from './node-request.ts'
import { send } from './node-response.ts'
import { withRawBodyAdvice } from './raw-body-advice.ts'
import { createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'

export type { FastifyReply } from './fastify-reply.ts'
export type { NodeRequest } from './node-request.ts'
export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'

/** A request of Fastify, by shape; `rawBody` is what a plugin may have kept. */
export interface FastifyRequest {
  readonly raw: NodeRequest
  readonly headers: NodeRequest['headers']
  readonly body?: unknown
  readonly rawBody?: unknown
}

/** What Fastify passed. */
export interface FastifyContext<Req = FastifyRequest, Rep = FastifyReply> {
  readonly request: Req
  readonly reply: Rep
}

/** What `app.post(path, route)` and `app.route({ method, url, ...route })` take. */
export interface FastifyRoute<Req = FastifyRequest, Rep = FastifyReply> {
  readonly onRequest: (request: Req) => Promise<void>
  readonly handler: (request: Req, reply: Rep) => Promise<unknown>
}

const ADVICE =
  'In Fastify, give app.post() all that webhook() returns, not its handler alone, and let no hook ' +
  'or middleware read the body before'

/**
 * A route of Fastify whose body no parser touches, whatever parsers the app has; the other routes
 * keep theirs. What `handler` or `onRejected` throws goes to Fastify's error handler. Throws
 * `WebhookConfigError` here, at start-up, for whatever is wrong with the options.
 *
 * @example
 * ```ts
 * import Fastify from 'fastify'
 * import { webhook } from 'hookproof/fastify'
 *
 * const app = Fastify({ requestTimeout: 30_000 })
 * app.post('/webhook', webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * }))
 * await app.listen({ port: 3000 })
 * ```
 */
export function webhook<
  W = PaymosEvent,
  E = W,
  Req extends FastifyRequest = FastifyRequest,
  Rep extends FastifyReply = FastifyReply,
>(
  options: HandlerOptions<W, E, FastifyContext<Req, Rep>>,
  handler?: EventHandler<E, FastifyContext<Req, Rep>>,
): FastifyRoute<NoInfer<Req>, NoInfer<Rep>> {
  const receive = withRawBodyAdvice(createReceiver(options, handler, engine), ADVICE)
  return {
    async onRequest(request) {
      setBodyHeaders(request, {})
    },
    async handler(request, reply) {
      const { raw } = request
      setBodyHeaders(request, raw.headers)
      const { method, url } = raw
      const open = () => toWebhookRequest(request)
      send(raw, asNode(reply), await receive({ method, url, open, context: { request, reply } }))
      return reply
    },
  }
}

/** What `verify` takes of a request: every header line, and the raw body, unread or kept. */
export function toWebhookRequest(request: FastifyRequest): WebhookInput {
  const { raw, body, rawBody = raw.rawBody } = request
  return withParsed(raw, { body, rawBody })
}

const BODY_HEADERS = ['content-type', 'content-length', 'transfer-encoding']

/**
 * Fastify parses no body that the headers do not announce, and lets them be set. Without these the
 * body stays unread, and hooks and error handlers run as for any other route.
 */
function setBodyHeaders(request: FastifyRequest, from: NodeRequest['headers']): void {
  const own = BODY_HEADERS.map((name) => [name, from[name]])
  const headers = { ...request.headers, ...Object.fromEntries(own) }
  Object.assign(request, { headers })
}
