import type { WebhookInput } from '../core/request.ts'
import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { type NodeRequest, type ParsedBody, withParsed } from './node-request.ts'
import { type NodeResponse, send } from './node-response.ts'
import { withRawBodyAdvice } from './raw-body-advice.ts'
import { createReceiver, type EventHandler, type HandlerOptions, refusal } from './receive.ts'

export type { NodeRequest } from './node-request.ts'
export type { NodeResponse } from './node-response.ts'
export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'

/** A context of Koa, by shape. */
export interface KoaContext {
  readonly req: NodeRequest
  readonly res: NodeResponse
  readonly request: object
  readonly method: string
  readonly url: string
  status: number
  body: unknown
  set(name: string, value: string): unknown
}

const ADVICE = 'In Koa: use it before the body parser, or behind one that keeps ctx.request.rawBody'

/**
 * A middleware for Koa, the last of its path. Use it before any body parser: it reads the body by
 * itself. Text or bytes as `ctx.request.rawBody` or `ctx.request.body` are used as well. Throws
 * `WebhookConfigError` here, at start-up, for whatever is wrong with the options; what goes wrong
 * later is thrown on, to the middleware before and the `error` event of the application.
 *
 * @example
 * ```ts
 * import Router from '@koa/router'
 * import Koa from 'koa'
 * import { webhook } from 'hookproof/koa'
 *
 * const router = new Router()
 * router.all('/webhook', webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * }))
 * new Koa().use(router.routes()).listen(3000)
 * ```
 */
export function webhook<W = PaymosEvent, E = W, C extends KoaContext = KoaContext>(
  options: HandlerOptions<W, E, C>,
  handler?: EventHandler<E, C>,
): (context: C) => Promise<void> {
  const receive = withRawBodyAdvice(createReceiver(options, handler, engine), ADVICE)
  return async (context) => {
    const { method, url } = context
    const open = () => toWebhookRequest(context)
    try {
      send(context.req, asNode(context), await receive({ method, url, open, context }))
    } catch (error) {
      // Koa would leave an answer that was begun as it is, and the sender waiting.
      if (context.res.headersSent) send(context.req, context.res, refusal(500, 'internal'))
      throw error
    }
  }
}

/** What `verify` takes of a context: every header line as it came, and the raw body or its stream. */
export function toWebhookRequest({ req, request }: KoaContext): WebhookInput {
  const { rawBody, body }: ParsedBody = request
  return withParsed(req, {
    rawBody: rawBody ?? req.rawBody,
    // Some platforms parse it when it is looked at.
    get body() {
      return body ?? req.body
    },
  })
}

/** For the answer to be Koa's to send, once the middleware before this one have seen it. */
function asNode(context: KoaContext): NodeResponse {
  const { res } = context
  return {
    ...('stream' in res && { stream: res.stream as object }),
    get headersSent() {
      return res.headersSent
    },
    get statusCode() {
      return context.status
    },
    set statusCode(status) {
      context.status = status
    },
    setHeader: (name, value) => context.set(name, value),
    end(body) {
      context.body = body
    },
  }
}
