import type { Finding } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { Connection, SqliteDatabase } from './connection.ts'

const MIGRATE = 'call store.migrate(), or run the text of migrationSql() with your own migrations'

/** What stands between these tables, as they are, and what the inbox promises. */
export function checkTables(
  { query }: Connection<SqliteDatabase>,
  { delivery, effect, resource }: Tables,
): Finding[] {
  const findings: Finding[] = []
  for (const table of [delivery, effect, resource]) {
    const there = query("select 1 from sqlite_master where type = 'table' and name = ?", table)
    if (there.length > 0) continue
    findings.push({ level: 'error', what: `the table ${table} is missing`, fix: MIGRATE })
  }
  if (findings.length > 0) return findings
  for (const [table, key] of [
    [delivery, 'event_id'],
    [effect, 'effect_key'],
  ] as const) {
    if (query(UNIQUE_KEY, table, key).length > 0) continue
    const what = `${table}.${key} has no unique key, so that the same delivery is recorded twice`
    findings.push({
      level: 'error',
      what,
      fix: `create unique index ${key}_key on ${table} (${key})`,
    })
  }
  const indexes = query('select name from pragma_index_list(?)', delivery).map(({ name }) => name)
  for (const index of ['due', 'resource', 'dead', 'kept', 'settled']) {
    if (indexes.includes(`${delivery}_${index}`)) continue
    const what = `the index ${delivery}_${index} is missing, so that whole tables are read`
    findings.push({ level: 'warning', what, fix: MIGRATE })
  }
  return findings
}

/** A unique index on this column alone, of all rows. */
const UNIQUE_KEY = `select list.name from pragma_index_list(?) as list
  where list."unique" = 1 and list.partial = 0
    and (select group_concat(name) from pragma_index_info(list.name)) = ?`
