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
  const [main] = query("select file from pragma_database_list where name = 'main'")
  if (main?.file === '') {
    const what = 'the database is in memory, and loses every delivery with the process'
    findings.push({ level: 'warning', what, fix: 'open a file' })
  }
  for (const [table, ...key] of [
    [delivery, 'event_id'],
    [effect, 'effect_key'],
    [resource, 'kind', 'id'],
  ] as const) {
    findings.push(...checkColumns(query, table, key))
  }
  const indexes = query('select name from pragma_index_list(?)', delivery).map(({ name }) => name)
  for (const index of ['due', 'resource', 'dead', 'kept', 'settled']) {
    if (indexes.includes(`${delivery}_${index}`)) continue
    const what = `the index ${delivery}_${index} is missing, so that whole tables are read`
    findings.push({ level: 'warning', what, fix: MIGRATE })
  }
  return findings
}

function checkColumns(
  query: Connection<SqliteDatabase>['query'],
  table: string,
  key: readonly string[],
): Finding[] {
  const findings: Finding[] = []
  const error = (what: string, fix: string) => findings.push({ level: 'error', what, fix })
  const keys = query(UNIQUE_KEYS, table, key.join(', '))
  if (keys.length === 0) {
    error(
      `${table}.${key.join(', ')} has no unique key, so that the same delivery is recorded twice`,
      `create unique index ${table}_${key.join('_')} on ${table} (${key.join(', ')})`,
    )
  }
  const anew = `rename ${table}, call store.migrate(), and copy its rows`
  if (keys.some(({ collations }) => collations !== 'BINARY')) {
    error(`${table}.${key.join(', ')} has a collation that takes two ids for one`, anew)
  }
  for (const { name, type } of query(COLUMNS, table)) {
    if (key.includes(name as string) && !/char|clob|text/iu.test(type as string)) {
      error(`${table}.${name} is no text: ids that are numbers are taken for one another`, anew)
    }
  }
  for (const { name } of query(REQUIRED, table)) {
    if (KNOWN.includes(name as string)) continue
    error(`${table}.${name} must not be null and has no default, so that nothing is recorded`, anew)
  }
  return findings
}

const COLUMNS = 'select name, type from pragma_table_info(?)'
const REQUIRED =
  'select name, type from pragma_table_info(?) where "notnull" = 1 and dflt_value is null'
/** Columns of the store that must not be null. */
const KNOWN = [
  ...['event_id', 'event_type', 'received_at', 'effect_key', 'at', 'kind', 'id', 'status'],
  ...['is_final', 'occurred_at', 'rank'],
]

/** Unique indexes on these columns alone, of all rows, and how they compare. */
const UNIQUE_KEYS = `select * from (
    select list.name,
      (select group_concat(name, ', ') from pragma_index_info(list.name)) as columns,
      (select group_concat(distinct coll) from pragma_index_xinfo(list.name) where "key" = 1) as collations
    from pragma_index_list(?) as list where list."unique" = 1 and list.partial = 0)
  where columns = ?`
