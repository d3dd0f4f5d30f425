import { isText } from '../core/envelope.ts'
import { fail, WebhookConfigError } from '../core/errors.ts'
import { readNames, wholeNumber } from '../core/options.ts'
import type { Scheme } from '../core/scheme.ts'
import type { Accepted } from '../core/verdict.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import type { EventOf, Handler } from './handlers.ts'
import { type ReconcileOrder, type ReconcileReport, type Resource, reconcile } from './reconcile.ts'
import { recordRow, rowOf, storable } from './record.ts'
import { type BaseInboxOptions, readInboxOptions, type Settings } from './settings.ts'
import { bare } from './signals.ts'
import type { Finding, InboxStore, StoredDelivery, StoreMode, StoreStats } from './store.ts'
import { within } from './timers.ts'
import { createWorker, type DrainOptions } from './worker.ts'

/**
 * `E` is the event that the scheme decodes; `Handlers` is inferred from the keys and from what each
 * `prepare` gives.
 */
export type InboxOptions<
  Tx,
  Mode extends StoreMode,
  Handlers,
  E = PaymosEvent,
  Body extends 'keep' | 'none' = 'keep',
> = BaseInboxOptions<Tx, Mode> &
  ([PaymosEvent] extends [E]
    ? {
        /** The provider of all these deliveries, default: Paymos. */
        readonly scheme?: Scheme<E>
      }
    : { readonly scheme: Scheme<E> }) & {
    /** By the event's type; `default` takes every other one. Without it they are settled as ignored. */
    readonly handlers: {
      readonly [Type in keyof Handlers]: Handler<
        Body extends 'none' ? undefined : EventOf<E, Type>,
        Tx,
        Mode,
        Handlers[Type]
      > &
        Listed<EventOf<E, Type>>
    }
    /** `none`: no payload is stored; handlers get `undefined` and ask the provider's API. */
    readonly body?: Body | undefined
    /** What is stored instead of the event, such as the event without a name and an address. */
    readonly redact?: ((event: E) => unknown) | undefined
  }

/** No handler fits a type that no event has. */
type Listed<E> = [E] extends [never] ? { readonly apply: 'no event has this type' } : unknown

/** What an adapter answers with. */
export interface InboxAnswer {
  readonly status: 200 | 202 | 422 | 503
  readonly outcome: 'recorded' | 'settled' | 'duplicate' | 'unidentified' | 'unavailable'
}

export interface RecordInfo {
  /** The header of that name, for a link from the work to the request. */
  readonly traceparent?: string | undefined
}

/** What `redrive` makes due again. */
export type RedriveOrder = { readonly claims?: number | undefined } & (
  | { readonly ids?: readonly string[]; readonly outcome?: 'dead' }
  | { readonly ids: readonly string[]; readonly outcome: 'ignored' | 'stale' }
)

export interface Inbox {
  /** The name of the scheme whose deliveries it takes. */
  readonly scheme: string
  /**
   * Records a delivery, and says how to answer it: 202 recorded, 200 settled within `inline` or a
   * duplicate, 503 when the store fails or is too slow, or after `stop()`; 422 for a delivery that
   * nothing identifies. Rejects for mistakes of the integrator's alone.
   */
  readonly receive: (accepted: Accepted<unknown>, info?: RecordInfo) => Promise<InboxAnswer>
  /**
   * Records a delivery, for an HTTP layer of your own: answer 2xx once it resolves. It has no time
   * limit, and records after `stop()` as well.
   */
  readonly record: (
    accepted: Accepted<unknown>,
    info?: RecordInfo,
  ) => Promise<'recorded' | 'duplicate' | 'unidentified'>
  /** Works on what is due until `stop()`, purges once an hour, tells the backlog once a minute. */
  readonly start: () => void
  /**
   * Takes nothing more, and waits for what is running; what is not over by then (default: 10,000) is
   * cancelled and given back, for which it gets as long again, but 2,000 at most. True if all of it
   * ended by itself.
   */
  readonly stop: (options?: { readonly timeoutMs?: number | undefined }) => Promise<boolean>
  /** Works on what is due now, and gives how many deliveries there were: for cron and tests. */
  readonly drain: (options?: DrainOptions) => Promise<number>
  /**
   * Purges what `retention` says, or at once the bodies of these resources that are settled. Ages are
   * measured by the store's clock.
   */
  readonly purge: (order?: {
    readonly resourceIds: readonly string[]
  }) => Promise<{ readonly redacted: number; readonly deleted: number }>
  /**
   * Makes dead deliveries due again, all or these, for `maxClaims` attempts or so many; or these that
   * were settled as ignored or stale, for a handler that takes them now. Gives how many there were.
   */
  readonly redrive: (order?: RedriveOrder) => Promise<number>
  readonly stats: () => Promise<StoreStats>
  /** The newest first, 100 unless `limit` says otherwise. */
  readonly find: (by: Parameters<InboxStore['find']>[0]) => Promise<StoredDelivery[]>
  /** What is wrong with the tables, the settings of the database and the backlog; empty: nothing. */
  readonly check: () => Promise<Finding[]>
  /** Compares what the provider's API says with what came and what was booked. */
  readonly reconcile: <R extends Resource>(order: ReconcileOrder<R>) => Promise<ReconcileReport<R>>
}

/**
 * Takes a delivery twice and books it once. A delivery is a row, committed before it is answered;
 * a worker then books it in the transaction that settles the row. Throws `WebhookConfigError` here
 * for whatever is wrong with the options.
 *
 * @example
 * ```ts
 * import { createInbox, memoryStore } from 'hookproof/inbox'
 *
 * export const inbox = createInbox({
 *   store: memoryStore(),
 *   handlers: {
 *     'invoice.paid': {
 *       async apply(tx, event, { once }) {
 *         if (await once('fulfil')) console.log('ship', event.data.order.external_id)
 *       },
 *     },
 *   },
 * })
 * inbox.start()
 * ```
 */
export function createInbox<Tx, Handlers, E = PaymosEvent, Body extends 'keep' | 'none' = 'keep'>(
  options: InboxOptions<Tx, 'async', Handlers, E, Body>,
): Inbox
export function createInbox<Tx, Handlers, E = PaymosEvent, Body extends 'keep' | 'none' = 'keep'>(
  options: InboxOptions<Tx, 'sync', Handlers, E, Body>,
): Inbox
export function createInbox(options: object): Inbox {
  const settings = readInboxOptions(options)
  const { store, leaseMs, inlineMs, receiveBudgetMs, tell } = settings
  const failed = (error: unknown) =>
    tell({ kind: 'store_failure', operation: 'record', error: bare(error) })
  const purge: Inbox['purge'] = (order) => purgeAll(settings, order)
  const worker = createWorker(settings, purge)

  const record = async (accepted: Accepted<unknown>, { traceparent }: RecordInfo = {}) => {
    const row = await rowOf(settings, accepted, traceparent)
    if (row === undefined) return { outcome: 'unidentified' } as const
    const outcome = await recordRow(settings, row)
    if (outcome === 'recorded') worker.nudge()
    return { outcome, id: row.id }
  }
  /** Whether the row, which is recorded, was settled in time. */
  const workInline = async (id: string, budgetMs: number) => {
    const work = async () => {
      const [claim] = await store.claim({ limit: 1, leaseMs, id })
      return claim && worker.run(claim)
    }
    const outcome = await within(budgetMs, work().catch(failed))
    return outcome === 'done' || outcome === 'stale' || outcome === 'ignored'
  }

  return {
    scheme: settings.scheme.name,
    async receive(accepted, info) {
      if (worker.isStopped()) return { status: 503, outcome: 'unavailable' }
      const recording = record(accepted, info)
      let result: Awaited<typeof recording> | undefined
      try {
        result = await within(receiveBudgetMs, recording)
        if (result === undefined) failed(new Error(`not recorded within ${receiveBudgetMs} ms`))
      } catch (error) {
        if (error instanceof WebhookConfigError) throw error
        failed(error)
      }
      if (result === undefined) return { status: 503, outcome: 'unavailable' }
      if (result.outcome === 'unidentified') return { status: 422, outcome: result.outcome }
      if (result.outcome === 'duplicate') return { status: 200, outcome: result.outcome }
      const isSettled = inlineMs !== undefined && (await workInline(result.id, inlineMs))
      return isSettled ? { status: 200, outcome: 'settled' } : { status: 202, outcome: 'recorded' }
    },
    record: async (accepted, info) => (await record(accepted, info)).outcome,
    start: worker.start,
    stop: ({ timeoutMs = 10_000 } = {}) => worker.stop(timeoutMs),
    async drain(limits = {}) {
      readNames(limits, ['maxMs', 'maxEvents'], 'inbox_invalid')
      return worker.drain(limits)
    },
    purge,
    async redrive(order = {}) {
      const redriven = await redriveAll(settings, order)
      if (redriven > 0) worker.nudge()
      return redriven
    },
    stats: () => store.stats(),
    async find(by) {
      readNames(by, ['id', 'resourceId', 'outcome', 'limit'], 'inbox_invalid')
      const stored = async (id: unknown) => {
        if (id === undefined) return id
        return isText(id) ? storable(id) : fail('inbox_invalid', 'find() takes ids as text')
      }
      return store.find({
        ...by,
        id: await stored(by.id),
        resourceId: await stored(by.resourceId),
      })
    },
    check: () => check(store),
    reconcile: (order) => reconcile(store, order),
  }
}

const BATCH = 1_000
const DAY_MS = 86_400_000

async function purgeAll(
  { store, retention, tell }: Settings,
  given: Parameters<Inbox['purge']>[0],
): Promise<{ redacted: number; deleted: number }> {
  const order = await purgeOrder(given, retention)
  const all = { redacted: 0, deleted: 0 }
  for (;;) {
    const { redacted, deleted } = await store.purge({ ...order, limit: BATCH })
    all.redacted += redacted
    all.deleted += deleted
    if (redacted + deleted === 0) break
  }
  tell({ kind: 'purge', ...all })
  return all
}

async function redriveAll({ store, maxClaims }: Settings, order: RedriveOrder): Promise<number> {
  readNames(order, ['ids', 'outcome', 'claims'], 'inbox_invalid')
  const { claims = maxClaims, outcome = 'dead' } = order
  wholeNumber(claims, 1, 'inbox_invalid', 'claims must be')
  if (!['dead', 'ignored', 'stale'].includes(outcome)) {
    fail('inbox_invalid', 'outcome must be dead, ignored or stale')
  }
  // One that is there and holds nothing is a mistake, and not the word for all.
  if (outcome !== 'dead' || Object.hasOwn(order, 'ids')) {
    return store.redrive({ ids: await readIds(order.ids, 'ids'), outcome, claims })
  }
  let all = 0
  for (;;) {
    const dead = await store.find({ outcome, limit: BATCH })
    const redriven = await store.redrive({ ids: dead.map(({ id }) => id), outcome, claims })
    all += redriven
    // What fails again meanwhile is not redriven for ever.
    if (dead.length < BATCH || redriven === 0) return all
  }
}

async function purgeOrder(given: Parameters<Inbox['purge']>[0], retention: Settings['retention']) {
  if (given !== undefined) {
    const { resourceIds } = readNames(given, ['resourceIds'], 'inbox_invalid')
    return { resourceIds: await readIds(resourceIds, 'resourceIds') }
  }
  const ms = (days: number) => (days === Number.POSITIVE_INFINITY ? undefined : days * DAY_MS)
  return {
    redactOlderMs: ms(retention.bodyDays),
    redactDeadOlderMs: ms(retention.deadBodyDays),
    deleteOlderMs: ms(retention.idDays),
  }
}

/** Identifiers as they are stored. */
function readIds(ids: unknown, name: string): Promise<string[]> {
  if (!Array.isArray(ids) || !ids.every(isText)) {
    fail('inbox_invalid', `${name} must be a list of ids`)
  }
  return Promise.all(ids.map(storable))
}

async function check(store: InboxStore): Promise<Finding[]> {
  const findings = await store.check()
  if (findings.some(({ level }) => level === 'error')) return findings
  const { dead, oldestDueMs = 0 } = await store.stats()
  if (dead > 0) {
    findings.push({
      level: 'warning',
      what: `dead deliveries: ${dead}`,
      fix: "find({ outcome: 'dead' }) says why; repair that, then call redrive()",
    })
  }
  if (oldestDueMs > 300_000) {
    findings.push({
      level: 'warning',
      what: `a delivery has been due for ${Math.round(oldestDueMs / 1000)} s`,
      fix: 'call start() in a process that lives, or drain() from cron; then raise concurrency',
    })
  }
  return findings
}
