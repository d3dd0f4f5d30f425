import type { Reason, RefusalStatus, Stage } from './reasons.ts'

/**
 * The answer to a delivery. The reason may be read before `ok` is checked, the event only after.
 */
export type Verdict<E> = Accepted<E> | Rejected

export interface Accepted<E> {
  readonly ok: true
  /**
   * The event as the provider sent it: its own names and values, nothing renamed, coerced or
   * dropped.
   */
  readonly event: E
  readonly delivery: Delivery
  /** Unix seconds at which this attempt was signed; absent when the scheme signs no time. */
  readonly timestamp?: number
  /**
   * Which secret (its index in the options, and its id if it has one) met which of the header's
   * well-formed signatures.
   */
  readonly matched: {
    readonly secret: number
    readonly secretId?: string
    readonly signature: number
  }
  /**
   * The exact bytes that were authenticated: a copy, or on the sync face the bytes that were
   * passed.
   */
  readonly body: Uint8Array
  readonly warnings: readonly Warning[]
  readonly reason?: never
  readonly stage?: never
  readonly status?: never
  readonly detail?: never
}

export interface Rejected {
  readonly ok: false
  readonly reason: Reason
  readonly stage: Stage
  readonly status: RefusalStatus
  /**
   * What was expected, for your log. Never holds the secret, a signature, the header or the body.
   */
  readonly detail: string
}

/** What every scheme can say about a delivery, whatever its events look like. */
export interface Delivery {
  readonly scheme: string
  /** The id to dedupe on. */
  readonly id?: string
  /** Whether the signature covers that id. If not, a replay can carry another one. */
  readonly idSigned: boolean
  /** The wire's own text: compare a type newer than this package here. */
  readonly type: string
  /** Unix seconds at which the event happened, which a retry leaves as it is. */
  readonly occurredAt?: number
  /** The thing the event is about. */
  readonly resource?: { readonly kind: string; readonly id: string }
  /** The ids of the parts, where one delivery carries several. */
  readonly items?: readonly string[]
}

/** `delivery_id_mismatch`: the unsigned id header differs from the signed id in the body. */
export type Warning = 'delivery_id_mismatch'

const STATUS: Readonly<Record<Stage, RefusalStatus>> = {
  header: 400,
  freshness: 401,
  size: 413,
  signature: 401,
  body: 422,
  envelope: 422,
  schema: 422,
}

/**
 * A refusal. Its status is the stage's; a body that broke off is a bad request rather than a large
 * one.
 */
export function reject(stage: Stage, reason: Reason, detail: string): Rejected {
  const status = reason === 'body_incomplete' ? 400 : STATUS[stage]
  return { ok: false, reason, stage, status, detail }
}

/** Tells a refusal from whatever else a step may return. */
export function isRejected(result: object): result is Rejected {
  return (result as { ok?: unknown }).ok === false
}
