import { storedOf } from '../rows.ts'
import type { InboxStore, StoreStats } from '../store.ts'
import { at, columns, listed, milliseconds, ms, type Statements } from './statements.ts'

/** What looks at the rows and clears them away. */
export function upkeepOf({
  tables: { delivery, effect },
  now,
  run,
  touched,
}: Statements): Pick<InboxStore, 'taken' | 'find' | 'stats' | 'purge'> {
  return {
    async taken(keys) {
      const select = `select effect_key from ${effect} where effect_key in ${listed(1)}`
      return (await run(select, JSON.stringify(keys))).map((row) => row.effect_key as string)
    },
    async find({ id, resourceId, outcome, limit = 100 }) {
      const rows = await run(
        `select ${columns()}, last_error, outcome, ${ms('due_at')}, ${ms('processed_at')}
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
    async purge({ redactOlderMs, redactDeadOlderMs, deleteOlderMs, resourceIds = [], limit }) {
      const some = (where: string) =>
        `event_id in (select event_id from ${delivery} where ${where}
          limit $2::int for update skip locked)`
      const older = `processed_at < ${at(3)} - ${milliseconds(1)}`
      const redact = (where: string, value: string | number, ...time: (number | null)[]) =>
        touched(
          `update ${delivery} set body = null where ${some(`body is not null and ${where}`)}`,
          ...[value, limit, ...time],
        )
      let [redacted, deleted] = [0, 0]
      if (redactOlderMs !== undefined) {
        redacted += await redact(`${older} and outcome <> 'dead'`, redactOlderMs, now())
      }
      if (redactDeadOlderMs !== undefined) {
        redacted += await redact(`${older} and outcome = 'dead'`, redactDeadOlderMs, now())
      }
      if (resourceIds.length > 0) {
        const erased = `processed_at is not null and resource_id in ${listed(1)}`
        redacted += await redact(erased, JSON.stringify(resourceIds))
      }
      if (deleteOlderMs !== undefined) {
        const text = `delete from ${delivery} where ${some(`${older} and outcome <> 'dead'`)}`
        deleted = await touched(text, deleteOlderMs, limit, now())
      }
      return { redacted, deleted }
    },
  }
}
