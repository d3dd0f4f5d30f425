import type { Finding } from '../store.ts'
import type { Connection } from './connection.ts'

/** What a table of the store must be like. */
export interface Shape {
  readonly table: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
  /** Columns of ids, and how long these may be. */
  readonly ids: { readonly [column: string]: number }
}

const error = (what: string, fix: string): Finding => ({ level: 'error', what, fix })

/** A table that was made by hand, or changed since, may refuse deliveries, or take two for one. */
export async function checkColumns(
  { query }: Connection<object>,
  { table, key, columns, ids }: Shape,
  migrate: string,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const [kind] = await query(PERSISTENCE, [table])
  if (kind?.persistence !== 'p') {
    const what = `${table} is unlogged: a crash of the server empties it`
    findings.push(error(what, `alter table ${table} set logged`))
  }
  const there = await query(COLUMNS, [table])
  const missing = columns.filter((name) => !there.some((column) => column.name === name))
  if (missing.length > 0) {
    findings.push(error(`${table} has no column ${missing.join(', ')}`, migrate))
  }
  for (const { name, type, length, isRequired, isExact } of there) {
    const column = `${table}.${name}`
    const alter = `alter table ${table} alter column ${name}`
    if (isRequired && !columns.includes(name as string)) {
      findings.push(
        error(
          `${column} must not be null and has no default, so that nothing is recorded`,
          `${alter} drop not null`,
        ),
      )
    }
    if (key.includes(name as string) && type !== 'text' && type !== 'varchar') {
      const what = `${column} is ${type}, not text: ids are refused, or two of them taken for one`
      findings.push(error(what, `${alter} type text`))
    } else if (key.includes(name as string) && !isExact) {
      const what = `${column} has a collation that takes two ids for one`
      findings.push(error(what, `${alter} type text collate "C"`))
    }
    const longest = ids[name as string]
    if (longest !== undefined && length !== null && Number(length) < longest) {
      findings.push(error(`${column} refuses ids longer than ${length}`, `${alter} type text`))
    }
  }
  return findings.concat(await checkKey(query, table, key))
}

async function checkKey(
  query: Connection<object>['query'],
  table: string,
  key: readonly string[],
): Promise<Finding[]> {
  const [name, add] = [key.join(', '), `add primary key (${key.join(', ')})`]
  const indexes = await query(UNIQUE_KEYS, [table, name])
  const deferrable = indexes.filter((index) => !index.isImmediate)
  if (deferrable.length > 0) {
    const drop = deferrable.map((index) => `drop constraint ${index.name}, `).join('')
    const isKept = indexes.length > deferrable.length
    return [
      error(
        `the key of ${table}.${name} is deferrable, so that nothing is recorded`,
        `alter table ${table} ${isKept ? drop.replace(/, $/u, '') : drop + add}`,
      ),
    ]
  }
  if (indexes.length > 0) return []
  const what = `${table}.${name} has no unique key, so that the same delivery is recorded twice`
  return [error(what, `alter table ${table} ${add}`)]
}

const PERSISTENCE =
  'select relpersistence::text as persistence from pg_class where oid = $1::regclass'

const COLUMNS = `select a.attname::text as name, t.typname::text as type,
    case when a.atttypmod > 4 and t.typname in ('varchar', 'bpchar') then a.atttypmod - 4 end as length,
    a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attgenerated = '' as "isRequired",
    coalesce(c.collisdeterministic, true) as "isExact"
  from pg_attribute a join pg_type t on t.oid = a.atttypid
    left join pg_collation c on c.oid = a.attcollation
  where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`

/** Valid unique indexes on these columns alone, of all rows. */
const UNIQUE_KEYS = `select i.indimmediate as "isImmediate", i.indexrelid::regclass::text as name
  from pg_index i
  where i.indrelid = $1::regclass and i.indisunique and i.indisvalid and i.indpred is null
    and $2 = (select string_agg(a.attname, ', ' order by k.place)
      from unnest(i.indkey::int2[]) with ordinality as k (number, place)
        left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
      where k.place <= i.indnkeyatts)`
