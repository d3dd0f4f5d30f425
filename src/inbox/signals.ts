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
   * `retry`: it failed and is due again. `fenced`: it is somebody else's by now. `lost`: neither could
   * be written; it is due again when its lease ends, or its transaction.
   */
  readonly outcome: Outcome | 'retry' | 'fenced' | 'lost'
  readonly attempt: number
  readonly durationMs: number
  /** From the receipt to this attempt. */
  readonly queueDelayMs: number
  /** Of the request that brought it, for a link to its span. */
  readonly traceparent: string | undefined
  /** What the handler threw, as it is, or why the attempt was given up. */
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
  /** Its name, message, code and stack alone. */
  readonly error: unknown
}

export type Tell = (signal: InboxSignal) => void

declare const console: { error(line: string): void }

/** A listener that throws, or rejects, changes nothing. Without one, what goes wrong is written down. */
export function teller(listener: (signal: InboxSignal) => unknown = createLog()): Tell {
  return (signal) => {
    try {
      discardPromise(listener(signal))
    } catch {}
  }
}

/** Lines on standard error; what is said already is not said again until something else is. */
function createLog(): (signal: InboxSignal) => void {
  let last = ''
  return (signal) => {
    const line = lineOf(signal)
    if (line === undefined || line === last) return
    last = line
    console.error(`inbox: ${line.replaceAll(/\s+/gu, ' ')}`)
  }
}

function lineOf(signal: InboxSignal): string | undefined {
  if (signal.kind === 'store_failure') {
    return `the store failed at ${signal.operation}: ${describe(signal.error)}`
  }
  if (signal.kind === 'anomaly') return `${signal.what}: ${nameOf(signal)}`
  if (signal.kind !== 'process' || !('error' in signal)) return undefined
  return `${signal.outcome}: ${nameOf(signal)}, attempt ${signal.attempt}: ${describe(signal.error)}`
}

function nameOf({ delivery: { id, type } }: { readonly delivery: SignalDelivery }): string {
  return `${JSON.stringify(id)}, ${JSON.stringify(type)}`
}

/** An error in a line, as every database takes it. */
export function describe(error: unknown): string {
  try {
    const { name, message, code } = Object(error) as Partial<Error> & { code?: unknown }
    // A connection that is refused has a code alone.
    const text = message === undefined ? String(error) : `${name}: ${message || code || ''}`
    return text.slice(0, 500).replaceAll(/[\p{Cs}\0]/gu, '\ufffd')
  } catch {
    return 'an error without a description'
  }
}

/**
 * An error of a database as its name, message and code: other fields of it, such as the detail of a
 * violated key, may quote what was to be stored.
 */
export function bare(error: unknown): unknown {
  try {
    const { name, message, code, stack } = Object(error) as Partial<Error> & { code?: unknown }
    if (typeof message !== 'string') return error
    const hidden = (value: unknown) => ({ value, configurable: true, writable: true })
    const copy = Object.defineProperties(new Error(message), {
      name: hidden(name),
      stack: hidden(stack),
    })
    return code === undefined ? copy : Object.assign(copy, { code })
  } catch {
    return new Error(describe(error))
  }
}

export function signalDelivery({ id, type, resource }: NewDelivery | Claim): SignalDelivery {
  return { id, type, resource }
}
