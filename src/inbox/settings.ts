import { type ConfigErrorCode, fail } from '../core/errors.ts'
import { hasMethod, readNames, wholeNumber } from '../core/options.ts'
import type { Scheme } from '../core/scheme.ts'
import { paymos } from '../schemes/paymos.ts'
import type { AnyHandler } from './handlers.ts'
import { type InboxSignal, type Tell, teller } from './signals.ts'
import type { InboxStore, NewDelivery, StoreMode, Waits } from './store.ts'

/** What every inbox takes, whatever its events. */
export interface BaseInboxOptions<Tx, Mode extends StoreMode> {
  readonly store: InboxStore<Tx, Mode>
  /** Called in the transaction of the record, to enqueue a job elsewhere; keep it to one insert. */
  readonly onRecord?: ((tx: Tx, delivery: NewDelivery) => Waits<Mode, void>) | undefined
  /** For a scheme whose signature does not cover the id: who captured a delivery can send it anew. */
  readonly acceptUnsignedId?: boolean | undefined
  /** Works on a delivery before it is answered, for at most so long. Default: answer at once. */
  readonly inline?: { readonly budgetMs: number } | undefined
  /** How long a store may take to record before the answer is 503; default 5,000. */
  readonly receiveBudgetMs?: number | undefined
  /** How long a claimed row is left to a worker that is not heard of; default 30,000. Renewed at half time. */
  readonly leaseMs?: number | undefined
  /** How long one attempt may take before it is rolled back as failed; default 600,000. */
  readonly attemptMs?: number | undefined
  /** How many deliveries one process works on at a time; default 4. */
  readonly concurrency?: number | undefined
  /** How often work on a delivery may begin, crashes included, before it is dead; default 10. */
  readonly maxClaims?: number | undefined
  /**
   * Milliseconds to the next attempt behind a failed one, the first being 1. Default: at random up to
   * 10 s, then 20 s, doubling up to 30 min.
   */
  readonly backoff?: ((attempt: number) => number) | undefined
  /** How often `start()` looks for rows that another process recorded; default 1,000. */
  readonly pollMs?: number | undefined
  readonly retention?: Retention | undefined
  /**
   * For logs, metrics and traces. What it throws is discarded. Default: failed attempts, anomalies
   * and failures of the store are lines of `console.error`.
   */
  readonly onSignal?: ((signal: InboxSignal) => unknown) | undefined
  /** Milliseconds since 1970, default: the system's. The store's clock is its own. */
  readonly clock?: (() => number) | undefined
}

/** Days since a delivery was settled; `Infinity` keeps for ever. */
export interface Retention {
  /** Until its body goes; default 30. */
  readonly bodyDays?: number | undefined
  /** Until the row goes, id included; default 400. A delivery resent later is a new one. */
  readonly idDays?: number | undefined
  /** Until the body of a dead one goes; default `Infinity`. Dead rows stay. */
  readonly deadBodyDays?: number | undefined
}

type Days = { readonly [Name in keyof Retention]-?: number }

export interface Settings {
  readonly store: InboxStore
  readonly handlers: { readonly [type: string]: AnyHandler }
  readonly scheme: Scheme<unknown>
  readonly keepsBody: boolean
  readonly redact: ((event: unknown) => unknown) | undefined
  readonly onRecord: ((tx: unknown, delivery: NewDelivery) => Waits<StoreMode, void>) | undefined
  readonly acceptUnsignedId: boolean
  readonly inlineMs: number | undefined
  readonly receiveBudgetMs: number
  readonly leaseMs: number
  readonly attemptMs: number
  readonly concurrency: number
  readonly maxClaims: number
  readonly backoff: (attempt: number) => number
  readonly pollMs: number
  readonly retention: Days
  readonly tell: Tell
  readonly clock: () => number
}

const OPTIONS = [
  ...['store', 'handlers', 'scheme', 'body', 'redact', 'onRecord', 'acceptUnsignedId', 'inline'],
  ...['receiveBudgetMs', 'leaseMs', 'attemptMs', 'concurrency', 'maxClaims', 'backoff', 'pollMs'],
  ...['retention', 'onSignal', 'clock'],
]
const STORE = [
  ...['record', 'claim', 'settle', 'giveBack', 'renew', 'redrive', 'once', 'advance', 'taken'],
  ...['find', 'stats', 'purge', 'check'],
]
type Given = { readonly [name: string]: unknown }

/** Checks what `createInbox` is given. Throws `WebhookConfigError` for the first mistake. */
export function readInboxOptions(options: object): Settings {
  const given = readNames(options, OPTIONS, 'inbox_invalid')
  return {
    store: readStore(given.store),
    handlers: readHandlers(given.handlers),
    scheme: readScheme(given),
    keepsBody: oneOf(given.body, ['keep', 'none'], 'body') === 'keep',
    redact: readFunction(given.redact, 'redact'),
    onRecord: readFunction(given.onRecord, 'onRecord'),
    acceptUnsignedId: oneOf(given.acceptUnsignedId, [false, true], 'acceptUnsignedId') === true,
    inlineMs: readInline(given.inline),
    receiveBudgetMs: readCount(given.receiveBudgetMs ?? 5_000, 'receiveBudgetMs'),
    leaseMs: readCount(given.leaseMs ?? 30_000, 'leaseMs'),
    attemptMs: readCount(given.attemptMs ?? 600_000, 'attemptMs'),
    concurrency: readCount(given.concurrency ?? 4, 'concurrency'),
    maxClaims: readCount(given.maxClaims ?? 10, 'maxClaims'),
    backoff: readFunction(given.backoff, 'backoff') ?? fullJitter,
    pollMs: readCount(given.pollMs ?? 1_000, 'pollMs'),
    retention: readRetention(given.retention),
    tell: teller(readFunction(given.onSignal, 'onSignal')),
    clock: readFunction(given.clock, 'clock') ?? Date.now,
  }
}

/** Spreads the retries of many that failed together. */
export function fullJitter(attempt: number): number {
  return Math.random() * Math.min(30 * 60_000, 10_000 * 2 ** (attempt - 1))
}

function readStore(store: unknown): InboxStore {
  const missing = STORE.find((method) => !hasMethod(store, method))
  const { mode } = Object(store) as Partial<InboxStore>
  if (missing !== undefined || (mode !== 'async' && mode !== 'sync')) {
    fail(
      'store_invalid',
      `store has no ${missing ?? 'mode'}; pass what memoryStore() or its kin gave`,
    )
  }
  return store as InboxStore
}

function readHandlers(handlers: unknown): Settings['handlers'] {
  // Not a list, a Map or a promise, which have no types of events for keys.
  if (Object.prototype.toString.call(handlers) !== '[object Object]') {
    fail('handler_invalid', "handlers must be an object, such as { 'invoice.paid': { apply } }")
  }
  for (const [type, handler] of Object.entries(handlers as object)) {
    // A function has an apply() of its own.
    if (typeof handler === 'function' || !hasMethod(handler, 'apply')) {
      fail(
        'handler_invalid',
        `handlers['${type}'] must be an object with apply(tx, event, context)`,
      )
    }
    readNames(handler, ['prepare', 'apply'], 'handler_invalid')
    readFunction(handler.prepare, `handlers['${type}'].prepare`, 'handler_invalid')
  }
  // A copy, without what a prototype may hold.
  return Object.assign(Object.create(null), handlers)
}

function readScheme(given: Given): Scheme<unknown> {
  const scheme = Object.hasOwn(given, 'scheme') ? given.scheme : paymos
  const { name } = Object(scheme) as Partial<Scheme<unknown>>
  if (typeof name !== 'string') {
    fail(
      'scheme_invalid',
      'scheme has no name; take it from hookproof/schemes, is the import right?',
    )
  }
  return scheme as Scheme<unknown>
}

function readInline(inline: unknown): number | undefined {
  return inline === undefined ? undefined : readCount(Object(inline).budgetMs, 'inline.budgetMs')
}

function readRetention(retention: unknown = {}): Days {
  const given = readNames(retention, ['bodyDays', 'idDays', 'deadBodyDays'], 'inbox_invalid')
  const days = (name: string, standard: number) => {
    const value = given[name] ?? standard
    if (typeof value === 'number' && value >= 0) return value
    return fail('inbox_invalid', `retention.${name} must be a number of days, or Infinity`)
  }
  const read = {
    bodyDays: days('bodyDays', 30),
    idDays: days('idDays', 400),
    deadBodyDays: days('deadBodyDays', Number.POSITIVE_INFINITY),
  }
  // A row goes with its body.
  if (read.idDays >= read.bodyDays || given.bodyDays === undefined) return read
  return fail('inbox_invalid', 'retention.idDays must not be less than bodyDays')
}

/** No longer than a timer may be set for. */
function readCount(value: unknown, name: string): number {
  return Math.min(wholeNumber(value, 1, 'inbox_invalid', `${name} must be`), 2 ** 31 - 1)
}

function oneOf(value: unknown, [standard, other]: readonly unknown[], name: string): unknown {
  if (value === undefined || value === standard || value === other) return value ?? standard
  return fail('inbox_invalid', `${name} must be ${standard} or ${other}`)
}

function readFunction<F>(value: unknown, name: string, code: ConfigErrorCode = 'inbox_invalid') {
  if (value === undefined || typeof value === 'function') return value as F | undefined
  return fail(code, `${name} must be a function`)
}
