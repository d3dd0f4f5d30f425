import { decide } from '../order.ts'
import { claimOf, storedOf } from '../rows.ts'
import type { InboxStore, NewDelivery, Snapshot, StoreStats } from '../store.ts'
import { migrationText, tablesOf } from '../tables.ts'
import { again } from './again.ts'
import { checkTables } from './check.ts'
import {
  connectionOf,
  type PgClient,
  type PgPool,
  type PostgresJs,
  type PostgresJsQuery,
  type Session,
  type Transactional,
} from './connection.ts'
import { migrate, migrations } from './migrate.ts'

export type { PgClient, PgPool, PostgresJs, PostgresJsQuery, Transactional } from './connection.ts'

export interface PostgresStoreOptions {
  /** What the names of the tables begin with, a schema and a dot included; default `webhook_`. */
  readonly prefix?: string | undefined
  /** Milliseconds since 1970; default: the database's own clock, so that workers may differ. */
  readonly clock?: (() => number) | undefined
}

/**
 * Keeps the rows of an inbox in PostgreSQL 12 or later: for any number of workers on any number of
 * hosts. Takes a `Pool` of `pg`, the `sql` of postgres.js, PGlite, or any `{ query, transaction }`;
 * `apply` gets that library's own transaction.
 *
 * @example
 * ```ts
 * import { postgresStore } from 'hookproof/inbox/postgres'
 * import { Pool } from 'pg'
 *
 * export const store = postgresStore(new Pool({ connectionString: process.env.DATABASE_URL }))
 * await store.migrate()
 * ```
 */
export function postgresStore<Client extends PgClient>(
  db: PgPool<Client>,
  options?: PostgresStoreOptions,
): InboxStore<Client, 'async'>
export function postgresStore<Tx extends PostgresJsQuery>(
  db: PostgresJs<Tx>,
  options?: PostgresStoreOptions,
): InboxStore<Tx, 'async'>
export function postgresStore<Tx extends PgClient>(
  db: Transactional<Tx>,
  options?: PostgresStoreOptions,
): InboxStore<Tx, 'async'>
export function postgresStore(
  db: object,
  { prefix, clock }: PostgresStoreOptions = {},
): InboxStore<object, 'async'> {
  const tables = tablesOf(prefix)
  const { delivery, effect, resource } = tables
  const connection = connectionOf<object>(db)
  const sessions = new WeakMap<object, Session>()
  const sessionOf = (tx: object) => sessions.get(tx) as Session
  const now = () => clock?.() ?? null
  /** `$n` is the time from `clock`, or null. Stable within a statement, so that an index serves it. */
  const at = (n: number) => `coalesce(to_timestamp($${n}::float8 / 1000), statement_timestamp())`
  const after = (n: number, ms: number) => `${at(n)} + $${ms}::float8 * interval '1 millisecond'`
  const listed = (n: number) => `(select jsonb_array_elements_text($${n}::text::jsonb))`
  const owned = 'event_id = $1 and claims = $2 and due_at is not null'
  const run = (text: string, ...parameters: unknown[]) =>
    again(() => connection.query(text, parameters))
  const touched = async (text: string, ...parameters: unknown[]) =>
    (await run(`${text} returning event_id`, ...parameters)).length
  const transaction = <T>(work: (tx: object, session: Session) => Promise<T>) =>
    again(() =>
      connection.transaction((tx, session) => {
        sessions.set(tx, session)
        return work(tx, session)
      }),
    )

  // The row that was there, if one was: it is older than this statement's own insert.
  const insert = `with fresh as (
      insert into ${delivery} (event_id, event_type, resource_kind, resource_id, occurred_at, body,
        body_sha256, traceparent, claim_limit, received_at, due_at)
      values ($1, $2, $3, $4, $5::text::bigint, $6, $7, $8, $9, ${at(10)}, ${at(10)})
      on conflict (event_id) do nothing returning event_id)
    select (select count(*)::int from fresh) as recorded,
      (select body_sha256 from ${delivery} where event_id = $1) as known`

  return {
    mode: 'async',
    async record(row, onRecord) {
      const parameters = [...valuesOf(row), now()]
      const [found] = onRecord
        ? await transaction(async (tx, { query }) => {
            const rows = await query(insert, parameters)
            if (rows[0]?.recorded) await onRecord(tx)
            return rows
          })
        : await run(insert, ...parameters)
      if (found?.recorded) return { outcome: 'recorded' }
      return { outcome: 'duplicate', bodyDiffers: !!found?.known && found.known !== row.bodySha256 }
    },
    async claim({ limit, leaseMs, id }) {
      const rows = await run(
        `with picked as materialized (
          select event_id as id from ${delivery}
          where due_at <= ${at(1)} and ($4::text is null or event_id = $4)
          order by due_at limit $3::int for update skip locked)
        update ${delivery} set claims = claims + 1, due_at = ${after(1, 2)}
        from picked where event_id = picked.id
        returning ${COLUMNS}, claim_limit, body_sha256, traceparent`,
        ...[now(), leaseMs, limit, id ?? null],
      )
      return rows.map(claimOf)
    },
    settle: (claim, apply) =>
      transaction(async (tx, { query }) => {
        const fence = [claim.id, claim.claims]
        const settled = await query(
          `update ${delivery} set due_at = null, processed_at = ${at(3)}, last_error = null
          where ${owned} returning event_id`,
          [...fence, now()],
        )
        if (settled.length === 0) return 'fenced'
        const outcome = await apply(tx)
        // Always a statement: it fails where one before it did and was not told of.
        await query(`update ${delivery} set outcome = $2 where event_id = $1`, [claim.id, outcome])
        return 'settled'
      }),
    async giveBack({ id, claims }, how) {
      const change =
        'dead' in how
          ? `due_at = null, processed_at = ${at(4)}, outcome = 'dead', last_error = $3`
          : `due_at = ${after(4, 5)}, last_error = $3`
      const parameters = [id, claims, how.error, now(), ...('dead' in how ? [] : [how.retryInMs])]
      return (await touched(`update ${delivery} set ${change} where ${owned}`, ...parameters)) > 0
    },
    async renew({ id, claims }, leaseMs) {
      const change = `update ${delivery} set due_at = ${after(3, 4)} where ${owned}`
      return (await touched(change, id, claims, now(), leaseMs)) > 0
    },
    redrive: ({ ids, claims }) =>
      touched(
        `update ${delivery} set due_at = ${at(3)}, processed_at = null, outcome = null,
          claim_limit = claims + $2::int
        where outcome = 'dead' and event_id in ${listed(1)}`,
        ...[JSON.stringify(ids), claims, now()],
      ),
    async once(tx, key, id) {
      const insert = `insert into ${effect} (effect_key, event_id, at) values ($1, $2, ${at(3)})
        on conflict do nothing returning effect_key`
      return (await sessionOf(tx).query(insert, [key, id, now()])).length > 0
    },
    async advance(tx, fresh) {
      const { query } = sessionOf(tx)
      const values = [fresh.kind, fresh.id, fresh.status, fresh.isFinal, `${fresh.occurredAt}`]
      const fields = 'status, is_final, occurred_at, rank, event_id'
      const inserted = await query(
        `insert into ${resource} (kind, id, ${fields})
        values ($1, $2, $3, $4, $5::text::bigint, $6, $7) on conflict do nothing returning id`,
        [...values, fresh.rank, fresh.deliveryId],
      )
      if (inserted.length > 0) return 'applied'
      const [row] = await query(
        `select status, is_final as "isFinal", occurred_at::float8 as "occurredAt", rank
        from ${resource} where kind = $1 and id = $2 for update`,
        values.slice(0, 2),
      )
      const { answer, kept } = decide(row as unknown as Snapshot, fresh)
      if (kept === fresh) {
        await query(
          `update ${resource} set (${fields}) = ($3, $4, $5::text::bigint, $6, $7)
          where kind = $1 and id = $2`,
          [...values, fresh.rank, fresh.deliveryId],
        )
      }
      return answer
    },
    async taken(keys) {
      const select = `select effect_key from ${effect} where effect_key in ${listed(1)}`
      return (await run(select, JSON.stringify(keys))).map((row) => row.effect_key as string)
    },
    async find({ id, resourceId, outcome, limit = 100 }) {
      const rows = await run(
        `select ${COLUMNS}, last_error, outcome, ${ms('due_at')}, ${ms('processed_at')}
        from ${delivery}
        where ($1::text is null or event_id = $1) and ($2::text is null or resource_id = $2)
          and ($3::text is null or outcome = $3)
        order by received_at desc limit $4::int`,
        ...[id ?? null, resourceId ?? null, outcome ?? null, limit],
      )
      return rows.map(storedOf)
    },
    async stats() {
      const [row] = await run(
        `select count(*) filter (where due_at <= ${at(1)})::int as due,
          count(*) filter (where due_at > ${at(1)})::int as waiting,
          (select count(*)::int from ${delivery} where outcome = 'dead') as dead,
          (extract(epoch from ${at(1)} - min(due_at)) * 1000)::float8 as oldest
        from ${delivery} where due_at is not null`,
        now(),
      )
      const { due, waiting, dead, oldest } = row as unknown as StoreStats & { oldest: number }
      return { due, waiting, dead, oldestDueMs: due > 0 ? oldest : undefined }
    },
    async purge({ redactBefore, redactDeadBefore, deleteBefore, resourceIds = [], limit }) {
      const some = (where: string) =>
        `in (select event_id from ${delivery} where ${where} limit $2::int for update skip locked)`
      const before = `processed_at < to_timestamp($1::float8 / 1000)`
      const redact = `update ${delivery} set body = null where event_id`
      let [redacted, deleted] = [0, 0]
      const kept = 'body is not null'
      if (redactBefore !== undefined) {
        const where = `${kept} and ${before} and outcome <> 'dead'`
        redacted += await touched(`${redact} ${some(where)}`, redactBefore, limit)
      }
      if (redactDeadBefore !== undefined) {
        const where = `${kept} and ${before} and outcome = 'dead'`
        redacted += await touched(`${redact} ${some(where)}`, redactDeadBefore, limit)
      }
      if (resourceIds.length > 0) {
        const where = `${kept} and processed_at is not null and resource_id in ${listed(1)}`
        redacted += await touched(`${redact} ${some(where)}`, JSON.stringify(resourceIds), limit)
      }
      if (deleteBefore !== undefined) {
        const where = `${before} and outcome <> 'dead'`
        const text = `delete from ${delivery} where event_id ${some(where)}`
        deleted = await touched(text, deleteBefore, limit)
      }
      return { redacted, deleted }
    },
    migrate: () => migrate(connection, tables),
    check: () => checkTables(connection, tables),
    // The pool is its owner's to end.
    close: async () => {},
  }
}

/** The tables as text, for people who run migrations of their own; safe to run again. */
export function migrationSql({ prefix }: PostgresStoreOptions = {}): string {
  return migrationText(migrations, tablesOf(prefix))
}

function valuesOf({ id, type, resource, occurredAt, ...row }: NewDelivery): unknown[] {
  const { body = null, bodySha256, traceparent = null, claimLimit } = row
  return [
    ...[id, type, resource?.kind ?? null, resource?.id ?? null],
    ...[occurredAt === undefined ? null : `${occurredAt}`, body, bodySha256],
    ...[traceparent, claimLimit],
  ]
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8 as ${column}`
const COLUMNS = `event_id, event_type, resource_kind, resource_id, occurred_at::float8 as occurred_at,
  body, claims, ${ms('received_at')}`
