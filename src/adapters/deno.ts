import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import type { EventHandler, HandlerOptions } from './receive.ts'
import { createFetchHandler, type FetchContext, type WebRequest, type WebResponse } from './web.ts'

export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'
export type { FetchContext, WebRequest, WebResponse, WebResponseShape } from './web.ts'

/**
 * A handler for `Deno.serve`, with the HMAC of `node:crypto`. Throws `WebhookConfigError` here, at
 * start-up, for whatever is wrong with the options.
 *
 * @example
 * ```ts
 * import { webhook } from 'hookproof/deno'
 *
 * Deno.serve(webhook({ secret: Deno.env.get('WEBHOOK_SECRET') ?? '' }, async ({ event }) => {
 *   console.log(event.event_type)
 * }))
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
  return createFetchHandler<W, E, R, A>(options, handler, engine)
}
