import { discardPromise } from '../core/promises.ts'
import type { Claim, NewDelivery, Outcome, StoreStats } from './store.ts'

/** Which delivery a signal is about: fields for logs and spans, never labels of a metric. */
export interface SignalDelivery {
  readonly id: string
  readonly type: string
  readonly resource: NewDelivery['resource']
}

/** What an inbox tells for logs, metrics and traces. None holds a payload. */
export type InboxSignal =
  | ProcessSignal
  | BacklogSignal
  | PurgeSignal
  | AnomalySignal
  | StoreFailureSignal

/** A delivery was worked on: once for each attempt. */
export interface ProcessSignal {
  readonly kind: 'process'
  readonly delivery: SignalDelivery
  /**
   * `retry`: it failed and is due again. `fenced`: it is settled, or somebody else's by now.
   * `lost`: neither could be written; it is due again when its lease ends.
   */
  readonly outcome: Outcome | 'retry' | 'fenced' | 'lost'
  readonly attempt: number
  readonly durationMs: number
  /** From the receipt to this attempt. */
  readonly queueDelayMs: number
  /** Of the request that brought it, for a link to its span. */
  readonly traceparent: string | undefined
  /** What the handler threw. */
  readonly error?: unknown
}

/** Told once a minute by `start()`. */
export interface BacklogSignal extends StoreStats {
  readonly kind: 'backlog'
}

export interface PurgeSignal {
  readonly kind: 'purge'
  readonly redacted: number
  readonly deleted: number
}

/**
 * `body_differs`: a known id came with another body, and was a duplicate all the same.
 * `final_conflict`: two final states of one resource met; ask the provider's API which one holds.
 */
export interface AnomalySignal {
  readonly kind: 'anomaly'
  readonly what: 'body_differs' | 'final_conflict'
  readonly delivery: SignalDelivery
}

/** The store failed, or was slower than it may be. */
export interface StoreFailureSignal {
  readonly kind: 'store_failure'
  readonly operation: 'record' | 'claim' | 'renew' | 'give_back' | 'purge' | 'stats'
  readonly error: unknown
}

export type Tell = (signal: InboxSignal) => void

/** A listener that throws, or rejects, changes nothing. */
export function teller(listener: ((signal: InboxSignal) => unknown) | undefined): Tell {
  return (signal) => {
    try {
      discardPromise(listener?.(signal))
    } catch {}
  }
}

export function signalDelivery({ id, type, resource }: NewDelivery | Claim): SignalDelivery {
  return { id, type, resource }
}
