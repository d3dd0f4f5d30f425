import type { Finding } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { Connection } from './connection.ts'

const error = (what: string, fix: string): Finding => ({ level: 'error', what, fix })
const warning = (what: string, fix: string): Finding => ({ level: 'warning', what, fix })
const MIGRATE = 'call store.migrate(), or run the text of migrationSql() with your own migrations'

/** What stands between these tables, as they are, and what the inbox promises. */
export async function checkTables(
  { query }: Connection<object>,
  { delivery, effect, resource }: Tables,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const table of [delivery, effect, resource]) {
    const [found] = await query('select to_regclass($1) is not null as there', [table])
    if (!found?.there) findings.push(error(`the table ${table} is missing`, MIGRATE))
  }
  if (findings.length > 0) return findings

  for (const [table, key] of [
    [delivery, 'event_id'],
    [effect, 'effect_key'],
  ] as const) {
    const keys = await query(UNIQUE_KEY, [table, key])
    if (keys.length > 0) continue
    findings.push(
      error(
        `${table}.${key} has no unique key, so that the same delivery is recorded twice`,
        `alter table ${table} add primary key (${key})`,
      ),
    )
  }
  const columns = await query(
    'select attname as name from pg_attribute where attrelid = $1::regclass and not attisdropped',
    [delivery],
  )
  const missing = COLUMNS.filter((name) => !columns.some((column) => column.name === name))
  if (missing.length > 0) {
    findings.push(error(`${delivery} has no column ${missing.join(', ')}`, MIGRATE))
  }
  const [indexes] = await query(
    "select string_agg(pg_get_indexdef(indexrelid), E'\\n') as text from pg_index where indrelid = $1::regclass and indisvalid",
    [delivery],
  )
  for (const [index, slow] of INDEXES) {
    if (String(indexes?.text).includes(`${nameOf(delivery)}_${index} `)) continue
    findings.push(
      warning(`${delivery} has no index for ${slow}, which reads the whole table`, MIGRATE),
    )
  }
  const [settings] = await query(SETTINGS, [])
  return findings.concat(
    ADVICE.flatMap(([name, isRisky, risk, fix]) =>
      isRisky(settings?.[name]) ? warning(`${name} is ${settings?.[name]}: ${risk}`, fix) : [],
    ),
  )
}

const nameOf = (table: string): string => table.replace(/^.*\./u, '')

/** A valid unique index on this column alone, of all rows. */
const UNIQUE_KEY = `select 1 from pg_index i
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
  where i.indrelid = $1::regclass and i.indisunique and i.indisvalid
    and i.indnkeyatts = 1 and i.indpred is null and a.attname = $2`

const COLUMNS = [
  ...[
    'event_id',
    'event_type',
    'resource_kind',
    'resource_id',
    'occurred_at',
    'body',
    'body_sha256',
  ],
  ...['traceparent', 'received_at', 'due_at', 'claims', 'claim_limit', 'processed_at', 'outcome'],
  'last_error',
]

const INDEXES = [
  ['due', 'claiming'],
  ['resource', 'finding by resource'],
  ['dead', 'counting dead rows'],
  ['kept', 'redacting bodies'],
  ['settled', 'deleting old rows'],
] as const

const SETTINGS = `select current_setting('synchronous_commit') as synchronous_commit,
  current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
  current_setting('default_transaction_isolation') as default_transaction_isolation`

type Advice = readonly [
  setting: string,
  isRisky: (value: unknown) => boolean,
  risk: string,
  fix: string,
]

const isOff = (value: unknown): boolean => value === 'off'
const LOST = 'a crash may lose deliveries that were acknowledged, and they are not sent again'
const ADVICE: readonly Advice[] = [
  ['synchronous_commit', isOff, LOST, 'set it to on, for the role of the inbox at least'],
  ['fsync', isOff, LOST, 'set it to on'],
  ['full_page_writes', isOff, LOST, 'set it to on'],
  [
    'default_transaction_isolation',
    (value) => value !== 'read committed',
    'a duplicate may cost a second statement',
    'nothing is wrong; read committed is enough for the inbox',
  ],
]
