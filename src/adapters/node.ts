import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { type NodeRequest, toWebhookRequest } from './node-request.ts'
import {
  type Answer,
  createReceiver,
  type EventHandler,
  type HandlerOptions,
  refusal,
} from './receive.ts'

export { type NodeRequest, toWebhookRequest } from './node-request.ts'
export type { EventHandler, HandlerOptions } from './receive.ts'

/** A response of `node:http` or `node:http2`, by shape. */
export interface NodeResponse {
  statusCode: number
  readonly headersSent: boolean
  setHeader(name: string, value: string): unknown
  end(chunk: string): unknown
}

export interface NodeContext<Req = NodeRequest, Res = NodeResponse> {
  readonly request: Req
  readonly response: Res
}

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
  handler: EventHandler<E, NodeContext<Req, Res>>,
): (request: Req, response: Res, next?: (error?: unknown) => void) => Promise<void> {
  const receive = createReceiver(options, handler, engine)
  return async (request, response, next) => {
    const { method, url } = request
    const open = () => toWebhookRequest(request)
    try {
      send(request, response, await receive({ method, url, open, context: { request, response } }))
    } catch (error) {
      if (typeof next === 'function') return next(error)
      report(error)
      send(request, response, refusal(500, 'internal'))
    }
  }
}

/** What a request and a response have besides, depending on the version of HTTP. */
type Connection = {
  readonly complete?: boolean
  readonly writableEnded?: boolean
  readonly stream?: { close?(code?: number): void; readonly endAfterHeaders?: boolean }
  destroy?(): void
  resume?(): void
  on?(event: 'data', listener: (chunk: Uint8Array) => void): void
}

const DROPPED_BYTES = 1024 * 1024
/** HTTP/2 has no way to close after the answer but one that senders take for a failure. */
const DROPPED_BYTES_HTTP2 = 16 * 1024 * 1024
/** RFC 9113 §7. */
const INTERNAL_ERROR = 2

function send(
  request: NodeRequest & Connection,
  response: NodeResponse & Connection,
  { status, headers, body }: Answer,
): void {
  if (response.headersSent) {
    // By the handler itself, which may have failed half-way: the sender has to see that.
    if (status !== 500 || response.writableEnded) return
    if (response.stream === undefined) response.destroy?.()
    else response.stream.close?.(INTERNAL_ERROR)
    return
  }
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  // The rest of a body that was not read to its end is dropped, for the connection to go on, if it
  // is known to be little. Else the connection ends with the answer; of HTTP/2 the stream does, when
  // the sender has not stopped after much more.
  // HTTP/2 calls a request without a body incomplete, too, until somebody has read its end.
  const { stream } = response
  const isUnread = request.complete === false && !stream?.endAfterHeaders
  const isLittle = status !== 413 && Number(request.headers['content-length']) <= DROPPED_BYTES
  if (isUnread && !isLittle && stream === undefined) response.setHeader('Connection', 'close')
  response.end(body)
  if (!isUnread) return
  if (stream !== undefined) {
    let left = DROPPED_BYTES_HTTP2
    request.on?.('data', (chunk) => {
      left -= chunk.length
      if (left < 0) stream.close?.()
    })
  } else if (isLittle) request.resume?.()
}

interface WithConsole {
  readonly console?: { readonly error?: (error: unknown) => void }
}

function report(error: unknown): void {
  ;(globalThis as WithConsole).console?.error?.(error)
}
