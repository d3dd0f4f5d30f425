import { decide } from '../order.ts'
import { claimOf } from '../rows.ts'
import type { InboxStore, NewDelivery, Snapshot } from '../store.ts'
import type { Tables } from '../tables.ts'
import { checkTables } from './check.ts'
import { assertSync, type Connection, type SqliteDatabase } from './connection.ts'
import { migrate } from './migrate.ts'
import { upkeepOf } from './upkeep.ts'

export function createStore<Db extends SqliteDatabase>(
  connection: Connection<Db>,
  tables: Tables,
  clock: () => number,
): InboxStore<Db, 'sync'> {
  const { delivery, effect, resource } = tables
  const { db, query, run, transaction, touched, patiently } = connection
  const now = () => Math.floor(clock())
  const owned = 'event_id = ? and claims = ? and due_at is not null'
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
      await (onRecord ? transaction(work) : patiently(work))
      if (isNew) return { outcome: 'recorded' }
      const [known] = query(`select body_sha256 from ${delivery} where event_id = ?`, row.id)
      return { outcome: 'duplicate', bodyDiffers: known?.body_sha256 !== row.bodySha256 }
    },
    claim({ limit, leaseMs, id }) {
      const one = id === undefined ? '' : 'and event_id = ?'
      const sql = `update ${delivery} set claims = claims + 1, due_at = ?
        where event_id in (select event_id from ${delivery}
          where due_at <= ? ${one} order by due_at limit ?)
        returning *`
      const named = id === undefined ? [] : [id]
      return patiently(() => query(sql, now() + leaseMs, now(), ...named, limit).map(claimOf))
    },
    settle: (claim, apply) =>
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
    giveBack({ id, claims }, how) {
      const dead = 'dead' in how
      const change = dead ? "due_at = null, processed_at = ?, outcome = 'dead'" : 'due_at = ?'
      const ms = dead ? 0 : how.retryInMs
      const sql = `update ${delivery} set ${change}, last_error = ? where ${owned}`
      return patiently(() => touched(sql, now() + ms, how.error, id, claims) > 0)
    },
    renew({ id, claims }, leaseMs) {
      const sql = `update ${delivery} set due_at = ? where ${owned}`
      return patiently(() => touched(sql, now() + leaseMs, id, claims) > 0)
    },
    redrive: ({ ids, outcome, claims }) =>
      patiently(() =>
        touched(
          `update ${delivery} set due_at = ?, processed_at = null, outcome = null, claim_limit = claims + ?
        where outcome = ? and event_id in (select value from json_each(?))`,
          ...[now(), claims, outcome, JSON.stringify(ids)],
        ),
      ),
    once: (_, key, id) =>
      touched(`insert into ${effect} values (?, ?, ?) on conflict do nothing`, key, id, now()) > 0,
    advance(_, fresh) {
      const [row] = query(
        `select status, is_final as "isFinal", occurred_at as "occurredAt", rank,
          event_id as "deliveryId"
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
    ...upkeepOf(connection, tables, now),
    migrate: () => migrate(connection, tables),
    check: async () => checkTables(connection, tables),
    close: async () => {
      db.close()
    },
  }
}
