import { decide } from '../order.ts'
import { claimOf, storedOf } from '../rows.ts'
import type { InboxStore, NewDelivery, Snapshot, StoreStats } from '../store.ts'
import { migrationText, tablesOf } from '../tables.ts'
import { checkTables } from './check.ts'
import { assertSync, connect, type SqliteDatabase } from './connection.ts'
import { migrate, migrations } from './migrate.ts'

export type { SqliteDatabase, SqliteStatement } from './connection.ts'

export interface SqliteStoreOptions {
  /** What the names of the tables begin with; default `webhook_`. */
  readonly prefix?: string | undefined
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: (() => number) | undefined
  /** How long a statement waits for another process's transaction, in milliseconds; default 2,500. */
  readonly busyTimeoutMs?: number | undefined
}

/**
 * Keeps the rows of an inbox in an SQLite file, for the processes of one machine. `open` opens a
 * database of `node:sqlite`, `bun:sqlite` or better-sqlite3; the store owns that connection, and
 * `apply` gets it as its transaction. `apply` must be synchronous: wait in `prepare`.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from 'node:sqlite'
 * import { sqliteStore } from 'hookproof/inbox/sqlite'
 *
 * export const store = sqliteStore(() => new DatabaseSync('shop.db'))
 * await store.migrate()
 * ```
 */
export function sqliteStore<Db extends SqliteDatabase>(
  open: () => Db,
  { prefix, clock = Date.now, busyTimeoutMs = 2_500 }: SqliteStoreOptions = {},
): InboxStore<Db, 'sync'> {
  const tables = tablesOf(prefix)
  const { delivery, effect, resource } = tables
  const connection = connect(open, busyTimeoutMs)
  const { db, query, run, transaction } = connection
  const now = () => Math.floor(clock())
  const owned = 'event_id = ? and claims = ? and due_at is not null'
  const touched = (sql: string, ...parameters: (string | number | null)[]) =>
    query(`${sql} returning event_id`, ...parameters).length
  const insert = (row: NewDelivery) =>
    touched(
      `insert into ${delivery} (event_id, event_type, resource_kind, resource_id, occurred_at, body,
        body_sha256, traceparent, claim_limit, received_at, due_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (event_id) do nothing`,
      ...[row.id, row.type, row.resource?.kind ?? null, row.resource?.id ?? null],
      ...[row.occurredAt ?? null, row.body ?? null, row.bodySha256, row.traceparent ?? null],
      ...[row.claimLimit, now(), now()],
    ) > 0

  return {
    mode: 'sync',
    async record(row, onRecord) {
      let isNew = false
      const work = () => {
        isNew = insert(row)
        return isNew ? onRecord?.(db) : undefined
      }
      if (onRecord) transaction(work)
      else work()
      if (isNew) return { outcome: 'recorded' }
      const [known] = query(`select body_sha256 from ${delivery} where event_id = ?`, row.id)
      return { outcome: 'duplicate', bodyDiffers: known?.body_sha256 !== row.bodySha256 }
    },
    async claim({ limit, leaseMs, id = null }) {
      const rows = query(
        `update ${delivery} set claims = claims + 1, due_at = ?
        where event_id in (select event_id from ${delivery}
          where due_at <= ? and (? is null or event_id = ?) order by due_at limit ?)
        returning *`,
        ...[now() + leaseMs, now(), id, id, limit],
      )
      return rows.map(claimOf)
    },
    settle: async (claim, apply) =>
      transaction(() => {
        const fence = [claim.id, claim.claims]
        const settled = touched(
          `update ${delivery} set due_at = null, processed_at = ?, last_error = null where ${owned}`,
          ...[now(), ...fence],
        )
        if (settled === 0) return 'fenced'
        const outcome = apply(db)
        assertSync(outcome)
        run(`update ${delivery} set outcome = ? where event_id = ?`, outcome, claim.id)
        return 'settled'
      }),
    async giveBack({ id, claims }, how) {
      const dead = 'dead' in how
      const change = dead ? "due_at = null, processed_at = ?, outcome = 'dead'" : 'due_at = ?'
      const time = dead ? now() : now() + how.retryInMs
      const sql = `update ${delivery} set ${change}, last_error = ? where ${owned}`
      return touched(sql, time, how.error, id, claims) > 0
    },
    renew: async ({ id, claims }, leaseMs) =>
      touched(`update ${delivery} set due_at = ? where ${owned}`, now() + leaseMs, id, claims) > 0,
    redrive: async ({ ids, claims }) =>
      touched(
        `update ${delivery} set due_at = ?, processed_at = null, outcome = null, claim_limit = claims + ?
        where outcome = 'dead' and event_id in (select value from json_each(?))`,
        ...[now(), claims, JSON.stringify(ids)],
      ),
    once: (_, key, id) =>
      touched(`insert into ${effect} values (?, ?, ?) on conflict do nothing`, key, id, now()) > 0,
    advance(_, fresh) {
      const [row] = query(
        `select status, is_final as "isFinal", occurred_at as "occurredAt", rank
        from ${resource} where kind = ? and id = ?`,
        ...[fresh.kind, fresh.id],
      )
      const stored = row && ({ ...row, isFinal: row.isFinal === 1 } as unknown as Snapshot)
      const { answer, kept } = stored
        ? decide(stored, fresh)
        : { answer: 'applied' as const, kept: fresh }
      if (kept === fresh) {
        run(
          `insert or replace into ${resource} values (?, ?, ?, ?, ?, ?, ?)`,
          ...[fresh.kind, fresh.id, fresh.status, Number(fresh.isFinal)],
          ...[fresh.occurredAt, fresh.rank, fresh.deliveryId],
        )
      }
      return answer
    },
    async taken(keys) {
      const sql = `select effect_key from ${effect} where effect_key in (select value from json_each(?))`
      return query(sql, JSON.stringify(keys)).map((row) => row.effect_key as string)
    },
    async find({ id = null, resourceId = null, outcome = null, limit = 100 }) {
      const rows = query(
        `select * from ${delivery} where (? is null or event_id = ?)
          and (? is null or resource_id = ?) and (? is null or outcome = ?)
        order by received_at desc limit ?`,
        ...[id, id, resourceId, resourceId, outcome, outcome, limit],
      )
      return rows.map(storedOf)
    },
    async stats() {
      const [row] = query(
        `select count(*) filter (where due_at <= ?) as due,
          count(*) filter (where due_at > ?) as waiting, ? - min(due_at) as oldest,
          (select count(*) from ${delivery} where outcome = 'dead') as dead
        from ${delivery} where due_at is not null`,
        ...[now(), now(), now()],
      )
      const { due, waiting, dead, oldest } = row as unknown as StoreStats & { oldest: number }
      return { due, waiting, dead, oldestDueMs: due > 0 ? oldest : undefined }
    },
    async purge({ redactBefore, redactDeadBefore, deleteBefore, resourceIds = [], limit }) {
      const some = (where: string) =>
        `event_id in (select event_id from ${delivery} where ${where} limit ?)`
      const redact = (where: string, value: string | number) =>
        touched(
          `update ${delivery} set body = null where ${some(`body is not null and ${where}`)}`,
          ...[value, limit],
        )
      let redacted = 0
      if (redactBefore !== undefined) {
        redacted += redact("processed_at < ? and outcome <> 'dead'", redactBefore)
      }
      if (redactDeadBefore !== undefined) {
        redacted += redact("processed_at < ? and outcome = 'dead'", redactDeadBefore)
      }
      if (resourceIds.length > 0) {
        const erased =
          'processed_at is not null and resource_id in (select value from json_each(?))'
        redacted += redact(erased, JSON.stringify(resourceIds))
      }
      const old = some("processed_at < ? and outcome <> 'dead'")
      const deleted =
        deleteBefore === undefined
          ? 0
          : touched(`delete from ${delivery} where ${old}`, deleteBefore, limit)
      return { redacted, deleted }
    },
    migrate: async () => migrate(connection, tables),
    check: async () => checkTables(connection, tables),
    close: async () => {
      db.close()
    },
  }
}

/** The tables as text, for people who run migrations of their own; safe to run again. */
export function migrationSql({ prefix }: SqliteStoreOptions = {}): string {
  return migrationText(migrations, tablesOf(prefix))
}
