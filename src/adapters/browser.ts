import { engine } from '../engines/web.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { type EventHandler, type HandlerOptions, refusal } from './receive.ts'
import {
  createFetchHandler,
  type FetchContext,
  toResponse,
  type WebRequest,
  type WebResponse,
} from './web.ts'

export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'
export type { FetchContext, WebRequest, WebResponse, WebResponseShape } from './web.ts'

/**
 * **Never in a public page: whoever loads it has the secret, and can sign deliveries with it.** For
 * tools, tests and service workers of your own.
 *
 * A function from a `Request` to a `Response`, for the `fetch` event of a service worker, with the
 * HMAC of WebCrypto. A page whose promise is rejected sees a network error, so a throw is answered
 * with 500 here and reported by `reportError`. Throws `WebhookConfigError` at once for whatever is
 * wrong with the options.
 *
 * @example
 * ```ts
 * import { webhook } from 'hookproof/browser'
 *
 * const receive = webhook({ secret: 'test_only_secret' }, ({ event }) => {
 *   console.log(event.event_type)
 * })
 *
 * addEventListener('fetch', (event) => {
 *   const { pathname } = new URL(event.request.url)
 *   if (pathname === '/webhook') event.respondWith(receive(event.request))
 * })
 * ```
 */
export function webhook<
  W = PaymosEvent,
  E = W,
  R extends WebRequest = WebRequest,
  A extends readonly unknown[] = readonly unknown[],
>(
  options: HandlerOptions<W, E, FetchContext<R, A>>,
  handler?: EventHandler<E, FetchContext<R, A>>,
): (request: R, ...args: A) => Promise<WebResponse> {
  const receive = createFetchHandler<W, E, R, A>(options, handler, engine)
  return async (request, ...args) => {
    try {
      return await receive(request, ...args)
    } catch (error) {
      report(error)
      return toResponse(refusal(500, 'internal'))
    }
  }
}

interface ErrorReporting {
  readonly reportError?: (error: unknown) => void
}

/** As for an error that nobody caught: `onerror`, then the console. */
function report(error: unknown): void {
  ;(globalThis as ErrorReporting).reportError?.(error)
}
