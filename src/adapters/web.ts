import type { HmacEngine } from '../core/engine.ts'
import type { ByteStream, HeaderLookup } from '../core/request.ts'
import {
  type Answer,
  createReceiver,
  type EventHandler,
  type HandlerOptions,
  type Incoming,
} from './receive.ts'

declare const Response: new (
  body: string | null,
  init: { readonly status: number; readonly headers: { readonly [name: string]: string } },
) => WebResponse

/** A web `Request`, by shape. */
export interface WebRequest {
  readonly method: string
  readonly url?: string | undefined
  readonly headers: HeaderLookup
  readonly body: ByteStream | null
  readonly bodyUsed: boolean
}

/** Your own `Response`, whatever library or runtime declares it. */
export type WebResponse = typeof globalThis extends {
  readonly Response: new (...args: never[]) => infer R
}
  ? R
  : WebResponseShape

export interface WebResponseShape {
  readonly status: number
  readonly headers: HeaderLookup
  text(): Promise<string>
}

/** What the server passed: the request, and whatever stood behind it. */
export interface FetchContext<R = WebRequest, A = readonly unknown[]> {
  readonly request: R
  readonly args: A
}

/**
 * A function from a web `Request` to a `Response`. What is thrown is thrown on, to the server,
 * which answers 500.
 */
export function createFetchHandler<W, E, R extends WebRequest, A extends readonly unknown[]>(
  options: HandlerOptions<W, E, FetchContext<R, A>>,
  handler: EventHandler<E, FetchContext<R, A>> | undefined,
  engine: HmacEngine,
): (request: R, ...args: A) => Promise<WebResponse> {
  const receive = createReceiver(options, handler, engine)
  return async (request, ...args) =>
    respond(request, await receive(incoming(request, { request, args })))
}

export function incoming<C>(request: WebRequest, context: C): Incoming<C> {
  return { method: request?.method, url: request?.url, open: () => request, context }
}

/**
 * The response to a request that may be half read: its connection ends with it. Servers that are
 * built on Node let what follows wait behind the rest of the body, until they close the connection.
 */
export function respond(
  { body, bodyUsed }: { readonly body?: unknown; readonly bodyUsed: boolean },
  answer: Answer,
): WebResponse {
  const isUnread = answer.status === 413 || (body && !bodyUsed)
  const { headers } = answer
  return toResponse(isUnread ? { ...answer, headers: { ...headers, Connection: 'close' } } : answer)
}

export function toResponse({ status, headers, body }: Answer): WebResponse {
  // A 204 takes no body, not even an empty one.
  return new Response(body || null, { status, headers })
}
