import type { HmacEngine } from '../core/engine.ts'
import { fail } from '../core/errors.ts'
import { headerReader } from '../core/headers.ts'
import { createPlan } from '../core/plan.ts'
import type { WebhookInput } from '../core/request.ts'
import type { Accepted, Rejected, Verdict } from '../core/verdict.ts'
import { runVerify } from '../core/verifier.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import type { VerifyOptions } from '../index.ts'
import { paymos } from '../schemes/paymos.ts'
import { handedOn } from './handed-on.ts'
import { type ReceiveSignal, reporter } from './receive-signal.ts'

export type { ReceiveSignal } from './receive-signal.ts'

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
  /**
   * Called once for each delivery attempt, before it is answered. Not awaited, and what it throws is
   * discarded.
   */
  readonly onSignal?: ((signal: ReceiveSignal) => unknown) | undefined
  /**
   * In place of a handler: an inbox of `hookproof/inbox`, which records each delivery before it is
   * answered and works on it by itself.
   */
  readonly inbox?: DeliveryInbox | undefined
}

/** An inbox of `hookproof/inbox`, by the part that is called. */
export interface DeliveryInbox {
  /** The name of the one scheme that it takes; compared with the adapter's own. */
  readonly scheme?: string
  readonly receive: (
    accepted: Accepted<unknown>,
    info: { readonly traceparent?: string | undefined },
  ) => Promise<{
    readonly status: number
    readonly outcome: 'recorded' | 'settled' | 'duplicate' | 'unidentified' | 'unavailable'
  }>
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
  handler: EventHandler<E, C> | undefined,
  engine: HmacEngine,
): Receive<C> {
  const plan = createPlan(options, { scheme: paymos, engine, isSync: false }, OPTIONS)
  const { onRejected, onSignal, inbox } = options
  const accept = readAccept(handler, inbox, plan.scheme.name)
  if (onRejected !== undefined) assertFunction(onRejected, 'onRejected')
  if (onSignal !== undefined) assertFunction(onSignal, 'onSignal')
  const run: Receive<C> = async ({ method, url = '', open, context }) => {
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
    const report = reporter(onSignal)
    let accepted: Accepted<E> | undefined
    try {
      const request = open()
      // The event's type is taken on trust from the scheme and the schema in the options, as in
      // verify().
      const verdict = (await runVerify(plan, request)) as Verdict<E>
      if (!verdict.ok) {
        await onRejected?.(verdict, context)
        const { status, stage, reason } = verdict
        report({ outcome: 'rejected', status, stage, reason })
        return refusal(status, stage)
      }
      accepted = verdict
      const { outcome, answer } = await accept(accepted, request, context)
      report({ outcome, status: answer.status }, accepted)
      return answer
    } catch (error) {
      report({ outcome: 'failed', status: 500, error }, accepted)
      throw error
    }
  }
  return async (incoming) => {
    try {
      return await run(incoming)
    } catch (error) {
      throw handedOn(error)
    }
  }
}

const OPTIONS = ['onRejected', 'onSignal', 'inbox']

type Accept<E, C> = (
  accepted: Accepted<E>,
  request: WebhookInput,
  context: C,
) => Promise<{ readonly outcome: ReceiveSignal['outcome']; readonly answer: Answer }>

/** What is done about an accepted delivery: by the handler, or by the inbox. */
function readAccept<E, C>(
  handler: EventHandler<E, C> | undefined,
  inbox: DeliveryInbox | undefined,
  schemeName: string,
): Accept<E, C> {
  if (inbox === undefined) {
    assertFunction(handler, 'without the option inbox, the second argument')
    return async (accepted, _, context) => {
      await handler(accepted, context)
      return { outcome: 'handled', answer: { status: 204, headers: {}, body: '' } }
    }
  }
  if (handler !== undefined) {
    fail('handler_invalid', 'webhook() takes a handler or the option inbox, not both')
  }
  if (typeof inbox?.receive !== 'function') {
    fail('handler_invalid', 'the option inbox must be what createInbox() gave')
  }
  const { scheme = schemeName } = inbox
  if (scheme !== schemeName) {
    fail('inbox_invalid', `this inbox is for ${scheme}; give ${schemeName} one of its own`)
  }
  return async (accepted, { headers }) => {
    const traceparent = headerReader(headers)('traceparent')
    const { status, outcome } = await inbox.receive(accepted, { traceparent })
    if (outcome === 'unavailable') return { outcome, answer: refusal(status, 'unavailable') }
    if (outcome === 'unidentified') return { outcome, answer: refusal(status, 'envelope') }
    const said = outcome === 'duplicate' ? { received: true, duplicate: true } : { received: true }
    return { outcome, answer: json(status, said) }
  }
}

/** An answer that says where it went wrong and nothing finer. */
export function refusal(status: number, error: string, headers: Answer['headers'] = {}): Answer {
  return json(status, { error }, headers)
}

function json(status: number, said: object, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(said),
  }
}

function assertFunction<F>(value: F | undefined, what: string): asserts value is F {
  if (typeof value !== 'function')
    fail('handler_invalid', `${what} of webhook() must be a function`)
}
