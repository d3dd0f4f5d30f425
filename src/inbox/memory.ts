import { decide } from './order.ts'
import type { InboxStore, NewDelivery, Snapshot, StoredDelivery } from './store.ts'

/** A transaction of `memoryStore`, for whatever else should be undone with it. */
export interface MemoryTransaction {
  /** Called if the transaction is rolled back, the last one first. */
  readonly onRollback: (undo: () => void) => void
}

export interface MemoryStoreOptions {
  /** Milliseconds since 1970, default: the system's clock. */
  readonly clock?: (() => number) | undefined
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] }
type Row = Writable<NewDelivery & StoredDelivery> & { isLocked: boolean }

/**
 * Keeps the rows of an inbox in this process, for tests, demos and the first hour. It behaves like a
 * database, with one transaction at a time, but all of it is lost with the process: what was
 * acknowledged by then is not sent again.
 */
export function memoryStore({
  clock = Date.now,
}: MemoryStoreOptions = {}): InboxStore<MemoryTransaction, 'async'> {
  const rows = new Map<string, Row>()
  const effects = new Set<string>()
  const states = new Map<string, Snapshot>()
  const [settling, recording] = [transactions(), transactions()]
  const select = (fits: (row: Row) => boolean) => [...rows.values()].filter(fits)
  const isDue = ({ dueAt = Number.POSITIVE_INFINITY }: Row) => dueAt <= clock()
  const isDead = ({ outcome }: Row) => outcome === 'dead'
  type Fence = { readonly id: string; readonly claims: number }
  const owned = ({ id, claims }: Fence) => {
    const row = rows.get(id)
    return row?.claims === claims && row.dueAt !== undefined ? row : undefined
  }
  /** Changes a row that is still the claim's, once no transaction holds it. */
  const change = async (claim: Fence, values: () => Partial<Row>) => {
    if (rows.get(claim.id)?.isLocked) await settling(async () => {})
    const row = owned(claim)
    return row !== undefined && Object.assign(row, values()) === row
  }

  return {
    mode: 'async',
    record: (delivery, onRecord) =>
      recording(async (tx) => {
        const known = rows.get(delivery.id)
        if (known !== undefined) {
          return { outcome: 'duplicate', bodyDiffers: known.bodySha256 !== delivery.bodySha256 }
        }
        await onRecord?.(tx)
        rows.set(delivery.id, newRow(delivery, clock()))
        return { outcome: 'recorded' }
      }),
    async claim({ limit, leaseMs, id }) {
      const due = select((row) => isDue(row) && !row.isLocked && (id ?? row.id) === row.id)
      due.sort((a, b) => Number(a.dueAt) - Number(b.dueAt))
      return due.slice(0, limit).map((row) => {
        row.claims++
        row.dueAt = clock() + leaseMs
        return { ...row }
      })
    },
    settle: (claim, apply, abandoned) =>
      settling(async (tx) => {
        const row = owned(claim)
        if (row === undefined) return 'fenced'
        row.isLocked = true
        tx.onRollback(() => {
          row.isLocked = false
        })
        const outcome = await Promise.race([apply(tx), abandoned ?? forever()])
        const settled = { outcome, dueAt: undefined, processedAt: clock() }
        Object.assign(row, settled, { lastError: undefined, isLocked: false })
        return 'settled'
      }),
    giveBack: (claim, how) =>
      change(claim, () => {
        const dead = { dueAt: undefined, processedAt: clock(), outcome: 'dead' } as const
        const again = 'dead' in how ? dead : { dueAt: clock() + how.retryInMs }
        return { ...again, lastError: how.error }
      }),
    renew: (claim, leaseMs) => change(claim, () => ({ dueAt: clock() + leaseMs })),
    async redrive({ ids, outcome, claims }) {
      const found = select((row) => row.outcome === outcome && ids.includes(row.id))
      for (const row of found) {
        const due = { dueAt: clock(), processedAt: undefined, outcome: undefined }
        Object.assign(row, due, { claimLimit: row.claims + claims })
      }
      return found.length
    },
    async once(tx, key) {
      if (effects.has(key)) return false
      effects.add(key)
      tx.onRollback(() => effects.delete(key))
      return true
    },
    async advance(tx, fresh) {
      const key = JSON.stringify([fresh.kind, fresh.id])
      const stored = states.get(key)
      const { answer, kept } = stored
        ? decide(stored, fresh)
        : { answer: 'applied' as const, kept: fresh }
      states.set(key, kept)
      tx.onRollback(() => (stored ? states.set(key, stored) : states.delete(key)))
      return answer
    },
    taken: async (keys) => keys.filter((key) => effects.has(key)),
    async find({ id, resourceId, outcome, limit = 100 }) {
      const found = select(
        (row) =>
          (id ?? row.id) === row.id &&
          (resourceId === undefined || row.resource?.id === resourceId) &&
          (outcome ?? row.outcome) === row.outcome,
      )
      found.sort((a, b) => b.receivedAt - a.receivedAt)
      return found.slice(0, limit).map((row) => ({ ...row }))
    },
    async stats() {
      const pending = select(({ dueAt }) => dueAt !== undefined)
      const due = pending.filter(isDue)
      const oldest = due.reduce((age, { dueAt }) => Math.max(age, clock() - Number(dueAt)), 0)
      return {
        due: due.length,
        waiting: pending.length - due.length,
        dead: select(isDead).length,
        oldestDueMs: due.length > 0 ? oldest : undefined,
      }
    },
    async purge({ redactOlderMs, redactDeadOlderMs, deleteOlderMs, resourceIds = [], limit }) {
      const isOlder = (row: Row, ms = Number.POSITIVE_INFINITY) =>
        Number(row.processedAt) < clock() - ms
      const redact = (fits: (row: Row) => boolean) => {
        const found = select(
          (row) => row.body !== undefined && row.dueAt === undefined && fits(row),
        )
        for (const row of found.slice(0, limit)) row.body = undefined
        return Math.min(found.length, limit)
      }
      const redacted =
        redact((row) => !isDead(row) && isOlder(row, redactOlderMs)) +
        redact((row) => isDead(row) && isOlder(row, redactDeadOlderMs)) +
        redact(({ resource }) => resourceIds.includes(resource?.id ?? ''))
      const old = select((row) => !isDead(row) && isOlder(row, deleteOlderMs)).slice(0, limit)
      for (const { id } of old) rows.delete(id)
      return { redacted, deleted: old.length }
    },
    async migrate() {},
    check: async () => [
      {
        level: 'warning',
        what: 'memoryStore loses every delivery with the process',
        fix: 'use postgresStore of hookproof/inbox/postgres or sqliteStore of hookproof/inbox/sqlite',
      },
    ],
    async close() {},
  }
}

function newRow(delivery: NewDelivery, now: number): Row {
  const unsettled = { processedAt: undefined, outcome: undefined, lastError: undefined }
  return { ...delivery, ...unsettled, receivedAt: now, dueAt: now, claims: 0, isLocked: false }
}

/** Runs one transaction behind the other, and undoes what was done in one that throws. */
function transactions() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: (tx: MemoryTransaction) => Promise<T>): Promise<T> => {
    const result = last.then(async () => {
      const undos: (() => void)[] = []
      let isOver = false
      // What goes on although it was abandoned is undone as it comes.
      const onRollback = (undo: () => void) => (isOver ? undo() : undos.push(undo))
      try {
        return await work({ onRollback })
      } catch (error) {
        isOver = true
        for (const undo of undos.reverse()) undo()
        throw error
      }
    })
    last = result.catch(() => {})
    return result
  }
}

function forever(): Promise<never> {
  return new Promise(() => {})
}
