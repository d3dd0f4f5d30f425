import { decide } from '../order.ts'
import { claimOf } from '../rows.ts'
import type { InboxStore, NewDelivery, Snapshot } from '../store.ts'
import type { Tables } from '../tables.ts'
import { checkTables } from './check.ts'
import { connectionOf } from './connection.ts'
import { migrate } from './migrate.ts'
import { after, at, columns, listed, statementsOf } from './statements.ts'
import { upkeepOf } from './upkeep.ts'

export function createStore(
  db: object,
  tables: Tables,
  clock: (() => number) | undefined,
): InboxStore<object, 'async'> {
  const { delivery, effect, resource } = tables
  const connection = connectionOf<object>(db)
  const statements = statementsOf(connection, tables, clock)
  const { now, run, touched, transaction, sessionOf } = statements
  const owned = 'event_id = $1 and claims = $2 and due_at is not null'
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
        returning ${columns()}, claim_limit, body_sha256, traceparent`,
        ...[now(), leaseMs, limit, id ?? null],
      )
      return rows.map(claimOf)
    },
    settle: (claim, apply, abandoned) =>
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
      }, abandoned),
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
    redrive: ({ ids, outcome, claims }) =>
      touched(
        `update ${delivery} set due_at = ${at(3)}, processed_at = null, outcome = null,
          claim_limit = claims + $2::int
        where outcome = $4 and event_id in ${listed(1)}`,
        ...[JSON.stringify(ids), claims, now(), outcome],
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
        `select status, is_final as "isFinal", occurred_at::float8 as "occurredAt", rank,
          event_id as "deliveryId"
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
    ...upkeepOf(statements),
    migrate: () => migrate(connection, tables),
    check: () => checkTables(connection, tables),
    // The pool is its owner's to end.
    close: async () => {},
  }
}

function valuesOf({ id, type, resource, occurredAt, ...row }: NewDelivery): unknown[] {
  const { body = null, bodySha256, traceparent = null, claimLimit } = row
  return [
    ...[id, type, resource?.kind ?? null, resource?.id ?? null],
    ...[occurredAt === undefined ? null : `${occurredAt}`, body, bodySha256],
    ...[traceparent, claimLimit],
  ]
}
