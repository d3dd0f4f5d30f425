import { storedOf } from '../rows.ts'
import type { InboxStore, StoreStats } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { Connection, SqliteDatabase } from './connection.ts'

/** What looks at the rows and clears them away. */
export function upkeepOf(
  { query, touched }: Connection<SqliteDatabase>,
  { delivery, effect }: Tables,
  now: () => number,
): Pick<InboxStore, 'taken' | 'find' | 'stats' | 'purge'> {
  return {
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
  }
}
