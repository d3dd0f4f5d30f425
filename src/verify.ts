import type { HmacEngine } from './core/engine.ts'
import { verificationError } from './core/errors.ts'
import type { BaseOptions, StandardSchema } from './core/options.ts'
import { createPlan, type Plan, recallPlan } from './core/plan.ts'
import type { WebhookInput } from './core/request.ts'
import type { Scheme, SignDraft, SignedHeaders } from './core/scheme.ts'
import { type BaseSignOptions, createSignPlan, runSign } from './core/signer.ts'
import type { Accepted, Verdict } from './core/verdict.ts'
import { runVerify } from './core/verifier.ts'
import { engine } from './engines/default.ts'
import type { PaymosEvent } from './events/paymos.ts'
import { paymos } from './schemes/paymos.ts'

const DEFAULTS = { scheme: paymos, engine, isSync: false }

/**
 * `W` is the event the scheme decodes, `E` what you get: the schema's output, else `W`. A type
 * other than the default has to come from a scheme or a schema, so that no type argument is a cast
 * in disguise.
 */
export type VerifyOptions<W = PaymosEvent, E = W> = BaseOptions &
  ([PaymosEvent] extends [W]
    ? {
        /** The provider, default: Paymos. An own `undefined` throws. */
        readonly scheme?: Scheme<W>
      }
    : { readonly scheme: Scheme<W> }) &
  ([W] extends [E]
    ? {
        /**
         * Your own check of the event, by any Standard Schema library. An own `undefined` throws.
         */
        readonly schema?: StandardSchema<E>
      }
    : { readonly schema: StandardSchema<E> })

export interface Verifier<E> {
  readonly verify: (request: WebhookInput) => Promise<Verdict<E>>
  readonly verifyOrThrow: (request: WebhookInput) => Promise<Accepted<E>>
}

export interface SignOptions extends BaseSignOptions {
  readonly engine?: HmacEngine | undefined
}

export interface Signer {
  readonly sign: (draft: SignDraft) => Promise<SignedHeaders>
}

/**
 * Verifies one delivery. Takes a web `Request` or `{ headers, body }` with the raw body: text,
 * bytes, a stream.
 *
 * Resolves to `{ ok: true, event, delivery, … }` or `{ ok: false, reason, stage, status, detail }`;
 * whatever a sender does ends in one of the two. Rejects with `WebhookConfigError` for mistakes in
 * the options or in how the body was taken. Keys are prepared once for an options object that is
 * passed again.
 *
 * @example
 * ```ts
 * import { verify } from 'hookproof'
 *
 * const options = { secret: process.env.WEBHOOK_SECRET ?? '' }
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const verdict = await verify(request, options)
 *   if (!verdict.ok) return new Response(null, { status: verdict.status })
 *   console.log(verdict.event.event_type, verdict.delivery.id)
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export async function verify<W = PaymosEvent, E = W>(
  request: WebhookInput,
  options: VerifyOptions<W, E>,
): Promise<Verdict<E>> {
  return run<E>(recallPlan(options, DEFAULTS), request)
}

/**
 * As `verify`, but throws `WebhookVerificationError`, with `reason`, `stage` and `status`, for a
 * refused delivery.
 */
export async function verifyOrThrow<W = PaymosEvent, E = W>(
  request: WebhookInput,
  options: VerifyOptions<W, E>,
): Promise<Accepted<E>> {
  return orThrow(await verify<W, E>(request, options))
}

/**
 * A verifier with its own copy of the options, its keys prepared. Throws `WebhookConfigError` here,
 * at start-up, for whatever is wrong with them. Its functions work without `this`.
 */
export function createVerifier<W = PaymosEvent, E = W>(options: VerifyOptions<W, E>): Verifier<E> {
  const plan = createPlan(options, DEFAULTS)
  return {
    verify: (request) => run<E>(plan, request),
    verifyOrThrow: async (request) => orThrow(await run<E>(plan, request)),
  }
}

/**
 * A signer for senders, tests and tools. `sign` resolves to the headers of one delivery attempt; it
 * rejects with `WebhookVerificationError` where a receiver would refuse the draft (a timestamp that
 * is no whole number), with `WebhookConfigError` for a body that is not text or bytes.
 */
export function createSigner(options: SignOptions): Signer {
  const plan = createSignPlan(options, DEFAULTS)
  return { sign: (draft) => runSign(plan, draft) }
}

/**
 * The one place where the event's type is taken on trust: from the scheme and the schema in the
 * options.
 */
function run<E>(plan: Plan, request: WebhookInput): Promise<Verdict<E>> {
  return runVerify(plan, request) as Promise<Verdict<E>>
}

function orThrow<E>(verdict: Verdict<E>): Accepted<E> {
  if (!verdict.ok) throw verificationError(verdict)
  return verdict
}
