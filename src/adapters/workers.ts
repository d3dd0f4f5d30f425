import { engine } from '../engines/web.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'
import { incoming, toResponse, type WebRequest, type WebResponse } from './web.ts'

export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'
export type { WebRequest, WebResponse, WebResponseShape } from './web.ts'

/**
 * What the runtime passed: the request, the environment's bindings, and the context with its
 * `waitUntil`.
 */
export interface WorkersContext<R = WebRequest, Env = unknown, X = unknown> {
  readonly request: R
  readonly env: Env
  readonly context: X
}

/**
 * The `fetch` handler of a Worker, with the HMAC of WebCrypto. Options may be a function of the
 * environment, where the secret is; it is called once per environment object, at its first request.
 *
 * @example
 * ```ts
 * import { webhook } from 'hookproof/workers'
 *
 * export default {
 *   fetch: webhook(
 *     (env: { WEBHOOK_SECRET: string }) => ({ secret: env.WEBHOOK_SECRET }),
 *     async ({ event }) => console.log(event.event_type),
 *   ),
 * }
 * ```
 */
export function webhook<
  Env = unknown,
  W = PaymosEvent,
  E = W,
  R extends WebRequest = WebRequest,
  X = unknown,
>(
  options:
    | HandlerOptions<W, E, WorkersContext<R, Env, X>>
    | ((env: Env) => HandlerOptions<W, E, WorkersContext<R, Env, X>>),
  handler?: EventHandler<E, WorkersContext<R, Env, X>>,
): (request: R, env: Env, context: X) => Promise<WebResponse> {
  const create = (given: HandlerOptions<W, E, WorkersContext<R, Env, X>>) =>
    createReceiver(given, handler, engine)
  let receiverOf: (env: Env) => ReturnType<typeof create>
  if (typeof options === 'function') {
    const known = new WeakMap<object, ReturnType<typeof create>>()
    receiverOf = (env) => {
      const key = Object(env) as object
      const receive = known.get(key) ?? create(options(env))
      known.set(key, receive)
      return receive
    }
  } else {
    const receive = create(options)
    receiverOf = () => receive
  }
  return async (request, env, context) =>
    toResponse(await receiverOf(env)(incoming(request, { request, env, context })))
}
