import { discardPromise } from '../core/promises.ts'
import type { Reason, Stage } from '../core/reasons.ts'
import type { Accepted, Delivery, Warning } from '../core/verdict.ts'

/** What became of one delivery attempt, for logs, metrics and traces. It holds no payload. */
export interface ReceiveSignal {
  readonly kind: 'receive'
  /**
   * `handled` by the handler; `recorded`, `settled`, `duplicate`, `unidentified` or `unavailable`, as
   * the inbox says; `rejected` by the verification; `failed` by an error on this side.
   */
  readonly outcome:
    | 'handled'
    | 'recorded'
    | 'settled'
    | 'duplicate'
    | 'unidentified'
    | 'unavailable'
    | 'rejected'
    | 'failed'
  /** As it is answered; a handler that answers by itself may have sent another. */
  readonly status: number
  readonly durationMs: number
  /** Of a rejected one: `signature` alone means a wrong secret or a forgery. */
  readonly stage?: Stage
  readonly reason?: Reason
  /** Once it is verified: fields for logs and spans, never labels of a metric. */
  readonly delivery?: Pick<Delivery, 'id' | 'type' | 'resource'>
  /** Which secret and signature met: an old secret that still matches shows an unfinished rotation. */
  readonly matched?: Accepted<unknown>['matched']
  /** `delivery_id_mismatch` when the unsigned id header differs from the signed id. */
  readonly warnings?: readonly Warning[]
  /** What was thrown, if it failed. */
  readonly error?: unknown
}

type Told = Omit<ReceiveSignal, 'kind' | 'durationMs' | 'delivery' | 'matched' | 'warnings'>

/**
 * Tells a listener once about a request that has begun now. What it throws, or rejects with, is
 * discarded: it must not change an answer.
 */
export function reporter(
  listener: ((signal: ReceiveSignal) => unknown) | undefined,
): (told: Told, accepted?: Accepted<unknown>) => void {
  const begun = Date.now()
  return (told, accepted) => {
    const durationMs = Math.max(0, Date.now() - begun)
    const signal = {
      kind: 'receive',
      ...told,
      durationMs,
      ...(accepted && facts(accepted)),
    } as const
    try {
      discardPromise(listener?.(signal))
    } catch {}
  }
}

function facts({ delivery, matched, warnings }: Accepted<unknown>) {
  const { id, type, resource } = delivery
  return {
    delivery: { type, ...(id !== undefined && { id }), ...(resource && { resource }) },
    matched,
    warnings,
  }
}
