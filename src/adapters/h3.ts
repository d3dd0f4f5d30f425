import type { HeaderLookup, RawBody, WebhookInput } from '../core/request.ts'
import { engine } from '../engines/default.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { keptBody } from './kept-body.ts'
import { type NodeRequest, toWebhookRequest as ofNode } from './node-request.ts'
import { withRawBodyAdvice } from './raw-body-advice.ts'
import { createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'
import { respond, type WebRequest, type WebResponse } from './web.ts'

export type { NodeRequest } from './node-request.ts'
export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'
export type { WebRequest, WebResponse, WebResponseShape } from './web.ts'

/** The event of an h3 handler, by shape: of version 2, or of version 1, as in Nuxt and Nitro 2. */
export interface H3Event {
  readonly req: WebRequest | NodeRequest
  readonly headers: HeaderLookup
}

const ADVICE = 'In h3, mount webhook() before whatever reads or parses the body'

/**
 * A handler of h3, in every runtime. `handler` and `onRejected` get h3's own event; what they throw
 * goes to h3's error handler. Throws `WebhookConfigError` here, at start-up, for whatever is wrong
 * with the options.
 *
 * @example
 * ```ts
 * import { H3, serve } from 'h3'
 * import { webhook } from 'hookproof/h3'
 *
 * const app = new H3()
 * app.post('/webhook', webhook({ secret: process.env.WEBHOOK_SECRET ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * }))
 * serve(app)
 * ```
 */
export function webhook<W = PaymosEvent, E = W, V extends H3Event = H3Event>(
  options: HandlerOptions<W, E, V>,
  handler?: EventHandler<E, V>,
): (event: V) => Promise<WebResponse | undefined> {
  const receive = withRawBodyAdvice(createReceiver(options, handler, engine), ADVICE)
  return async (event) => {
    const { method, url } = Object(event?.req) as { method?: string; url?: string }
    const open = () => toWebhookRequest(event)
    const answer = await receive({ method, url, open, context: event }).catch((error) => {
      // Version 1 would leave an answer that was begun as it is, and the sender waiting.
      const response = (event as Partial<NodeEvent> | undefined)?.node?.res
      if (response?.headersSent) response.destroy?.()
      throw error
    })
    if (isWeb(event.req)) return respond(event.req, answer)
    const { node, web } = event as H3Event as NodeEvent
    // By the handler itself.
    if (node.res.headersSent) return undefined
    const unread = { body: node.req.complete === false, bodyUsed: false }
    return respond(web?.request ?? unread, answer)
  }
}

/** An event of version 1: Node's own request, or one that stands in for it on other platforms. */
interface NodeEvent extends H3Event {
  readonly node: {
    readonly req: NodeRequest & Kept & { readonly complete?: boolean }
    readonly res: { readonly headersSent: boolean; destroy?(): void }
  }
  readonly web?: { readonly request?: WebRequest }
  readonly _requestBody?: RawBody
}

/** What readers of version 1 keep. */
const RAW_BODY = /* @__PURE__ */ Symbol.for('h3RawBody')

interface Kept {
  readonly [RAW_BODY]?: PromiseLike<Uint8Array> | undefined
}

/**
 * What `verify` takes of an event: the request with its unread body, or the one that a platform or
 * `readBody` has read before and kept.
 */
export function toWebhookRequest(event: H3Event): WebhookInput {
  if (isWeb(event.req)) return event.req
  const { node, web, headers, _requestBody: given } = event as NodeEvent
  const kept = node.req[RAW_BODY]
  if (kept !== undefined) return { headers: ofNode(node.req).headers, body: keptBody(kept) }
  if (given) return { headers, body: given, bodyUsed: web?.request?.bodyUsed }
  // Whatever stands in for Node's request is no stream: the body is there, or there is none.
  return '__unenv__' in node.req
    ? { headers: node.req.headers, body: node.req.body as RawBody }
    : ofNode(node.req)
}

function isWeb(request: WebRequest | NodeRequest): request is WebRequest {
  return typeof request.headers.get === 'function'
}
