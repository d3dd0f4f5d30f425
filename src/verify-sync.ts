import type { SyncHmacEngine, SyncHmacKey } from './core/engine.ts'
import { verificationError } from './core/errors.ts'
import { createPlan, type Plan, recallPlan } from './core/plan.ts'
import type { SyncWebhookInput } from './core/request.ts'
import type { SignDraft, SignedHeaders } from './core/scheme.ts'
import { createSignPlan, runSignSync } from './core/signer.ts'
import type { Verdict } from './core/verdict.ts'
import { runVerifySync } from './core/verifier.ts'
import { engine } from './engines/default-sync.ts'
import type { PaymosEvent } from './events/paymos.ts'
import { paymos } from './schemes/paymos.ts'
import type { SignOptions, VerifyOptions } from './verify.ts'

const DEFAULTS = { scheme: paymos, engine, isSync: true }

/** As `VerifyOptions`, with an engine that answers at once. */
export type SyncVerifyOptions<W = PaymosEvent, E = W> = VerifyOptions<W, E> & {
  readonly engine?: SyncHmacEngine | undefined
}

export interface SyncVerifier<E> {
  readonly verify: (request: SyncWebhookInput) => Verdict<E>
  readonly constructEvent: (request: SyncWebhookInput) => E
}

export interface SyncSignOptions extends SignOptions {
  readonly engine?: SyncHmacEngine | undefined
}

export interface SyncSigner {
  readonly sign: (draft: SignDraft) => SignedHeaders
}

/**
 * Verifies one delivery whose body is in memory, without a promise. Returns the same verdicts as
 * `verify`, and throws `WebhookConfigError` for the same mistakes, besides `body_not_raw` for a
 * stream and `schema_async` for a schema that validates asynchronously.
 *
 * @example
 * ```ts
 * import { verifySync } from 'hookproof/sync'
 *
 * const options = { secret: process.env.WEBHOOK_SECRET ?? '' }
 *
 * export function receive(headers: Record<string, string>, body: Uint8Array): number {
 *   const verdict = verifySync({ headers, body }, options)
 *   if (!verdict.ok) return verdict.status
 *   console.log(verdict.event.event_type, verdict.delivery.id)
 *   return 204
 * }
 * ```
 */
export function verifySync<W = PaymosEvent, E = W>(
  request: SyncWebhookInput,
  options: SyncVerifyOptions<W, E>,
): Verdict<E> {
  return run<E>(recallPlan(options, DEFAULTS), request)
}

/**
 * The event of a delivery; throws `WebhookVerificationError`, with `reason`, `stage` and `status`,
 * for a refused one.
 */
export function constructEvent<W = PaymosEvent, E = W>(
  request: SyncWebhookInput,
  options: SyncVerifyOptions<W, E>,
): E {
  return eventOrThrow(verifySync<W, E>(request, options))
}

/**
 * A verifier with its own copy of the options, its keys prepared. Throws `WebhookConfigError` here,
 * at start-up.
 */
export function createSyncVerifier<W = PaymosEvent, E = W>(
  options: SyncVerifyOptions<W, E>,
): SyncVerifier<E> {
  const plan = createPlan(options, DEFAULTS)
  return {
    verify: (request) => run<E>(plan, request),
    constructEvent: (request) => eventOrThrow(run<E>(plan, request)),
  }
}

/**
 * A signer that returns the headers of one delivery attempt at once; it throws what
 * `createSigner`'s rejects with.
 */
export function createSyncSigner(options: SyncSignOptions): SyncSigner {
  const plan = createSignPlan(options, DEFAULTS)
  return { sign: (draft) => runSignSync(plan, draft) }
}

/**
 * The one place where the event's type is taken on trust: from the scheme and the schema in the
 * options.
 */
function run<E>(plan: Plan<SyncHmacKey>, request: SyncWebhookInput): Verdict<E> {
  return runVerifySync(plan, request) as Verdict<E>
}

function eventOrThrow<E>(verdict: Verdict<E>): E {
  if (!verdict.ok) throw verificationError(verdict)
  return verdict.event
}
