import type { HmacEngine } from '../core/engine.ts'
import { fail } from '../core/errors.ts'
import { createPlan } from '../core/plan.ts'
import type { WebhookInput } from '../core/request.ts'
import type { Accepted, Rejected, Verdict } from '../core/verdict.ts'
import { runVerify } from '../core/verifier.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import type { VerifyOptions } from '../index.ts'
import { paymos } from '../schemes/paymos.ts'
import { handedOn } from './handed-on.ts'

/**
 * Called once per accepted delivery. What it returns is awaited and otherwise ignored; a throw
 * answers 500.
 */
export type EventHandler<E, C> = (accepted: Accepted<E>, context: C) => unknown

/** `C` is what the runtime or framework itself passes: its request, its environment. */
export type HandlerOptions<W = PaymosEvent, E = W, C = unknown> = VerifyOptions<W, E> & {
  /**
   * Called with each refusal before it is answered, for logs and metrics: the sender learns the
   * stage alone. Awaited; a throw answers 500.
   */
  readonly onRejected?: ((rejected: Rejected, context: C) => unknown) | undefined
}

/** A request as the line below needs it; its body is opened only if it may be a delivery. */
export interface Incoming<C> {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly open: () => WebhookInput
  readonly context: C
}

/** Takes a request all the way to its answer. */
export type Receive<C> = (incoming: Incoming<C>) => Promise<Answer>

export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/**
 * What every adapter does with a request, between its own way in and its own way out. The options
 * are checked and the keys prepared here, once. What is thrown for a request, by the integrator's
 * functions or for the integrator's mistakes, is the adapter's to report.
 */
export function createReceiver<W, E, C>(
  options: HandlerOptions<W, E, C>,
  handler: EventHandler<E, C>,
  engine: HmacEngine,
): Receive<C> {
  const plan = createPlan(options, { scheme: paymos, engine, isSync: false }, ['onRejected'])
  const { onRejected } = options
  assertFunction(handler, 'the second argument')
  if (onRejected !== undefined) assertFunction(onRejected, 'onRejected')
  const answer: Receive<C> = async ({ method, url = '', open, context }) => {
    if (typeof method !== 'string') {
      fail('headers_invalid', 'pass the request itself, such as event.request or c.req.raw')
    }
    if (method !== 'POST') {
      const greeted = plan.scheme.handshake?.({ method, url })
      if (greeted !== undefined) return { ...greeted, headers: { 'Content-Type': 'text/plain' } }
      const refused = refusal(405, 'method', { Allow: 'POST' })
      // A server leaves the body of an answer to HEAD out; a service worker is none.
      return method === 'HEAD' ? { ...refused, body: '' } : refused
    }
    // The event's type is taken on trust from the scheme and the schema in the options, as in
    // verify().
    const verdict = (await runVerify(plan, open())) as Verdict<E>
    if (!verdict.ok) {
      await onRejected?.(verdict, context)
      return refusal(verdict.status, verdict.stage)
    }
    await handler(verdict, context)
    return { status: 204, headers: {}, body: '' }
  }
  return async (incoming) => {
    try {
      return await answer(incoming)
    } catch (error) {
      throw handedOn(error)
    }
  }
}

/** An answer that says where it went wrong and nothing finer. */
export function refusal(status: number, error: string, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ error }),
  }
}

function assertFunction(value: unknown, what: string): void {
  if (typeof value !== 'function')
    fail('handler_invalid', `${what} of webhook() must be a function`)
}
