import { storedOf } from '../rows.ts'
import type { InboxStore, StoreStats } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { Connection, SqliteDatabase } from './connection.ts'

/** What looks at the rows and clears them away. */
export function upkeepOf(
  { query, touched, patiently }: Connection<SqliteDatabase>,
  { delivery, effect }: Tables,
  now: () => number,
): Pick<InboxStore, 'taken' | 'find' | 'stats' | 'purge'> {
  return {
    async taken(keys) {
      const sql = `select effect_key from ${effect} where effect_key in (select value from json_each(?))`
      return query(sql, JSON.stringify(keys)).map((row) => row.effect_key as string)
    },
    async find({ id, resourceId, outcome, limit = 100 }) {
      // Only what is asked for: with "or ? is null" no index would serve.
      const by = Object.entries({ event_id: id, resource_id: resourceId, outcome }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      )
      const where = by.map(([column]) => `and ${column} = ?`).join(' ')
      const rows = query(
        `select * from ${delivery} where true ${where} order by received_at desc limit ?`,
        ...by.map(([, value]) => value),
        limit,
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
    async purge({ redactOlderMs, redactDeadOlderMs, deleteOlderMs, resourceIds = [], limit }) {
      const some = (where: string) =>
        `event_id in (select event_id from ${delivery} where ${where} limit ?)`
      const redact = (where: string, value: string | number) =>
        patiently(() =>
          touched(
            `update ${delivery} set body = null where ${some(`body is not null and ${where}`)}`,
            ...[value, limit],
          ),
        )
      let redacted = 0
      if (redactOlderMs !== undefined) {
        redacted += await redact("processed_at < ? and outcome <> 'dead'", now() - redactOlderMs)
      }
      if (redactDeadOlderMs !== undefined) {
        redacted += await redact("processed_at < ? and outcome = 'dead'", now() - redactDeadOlderMs)
      }
      if (resourceIds.length > 0) {
        const erased =
          'processed_at is not null and resource_id in (select value from json_each(?))'
        redacted += await redact(erased, JSON.stringify(resourceIds))
      }
      const old = some("processed_at < ? and outcome <> 'dead'")
      const deleted =
        deleteOlderMs === undefined
          ? 0
          : await patiently(() =>
              touched(`delete from ${delivery} where ${old}`, now() - deleteOlderMs, limit),
            )
      return { redacted, deleted }
    },
  }
}
