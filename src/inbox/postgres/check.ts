import type { Finding } from '../store.ts'
import type { Tables } from '../tables.ts'
import { checkColumns, type Shape } from './columns.ts'
import type { Connection } from './connection.ts'

const error = (what: string, fix: string): Finding => ({ level: 'error', what, fix })
const warning = (what: string, fix: string): Finding => ({ level: 'warning', what, fix })
const MIGRATE = 'call store.migrate(), or run the text of migrationSql() with your own migrations'

/** What stands between these tables, as they are, and what the inbox promises. */
export async function checkTables(
  connection: Connection<object>,
  tables: Tables,
): Promise<Finding[]> {
  const { query } = connection
  const { delivery, effect, resource } = tables
  const findings: Finding[] = []
  for (const table of [delivery, effect, resource]) {
    const [found] = await query('select to_regclass($1) is not null as there', [table])
    if (!found?.there) findings.push(error(`the table ${table} is missing`, MIGRATE))
  }
  if (findings.length > 0) return findings

  for (const shape of shapesOf(tables)) {
    findings.push(...(await checkColumns(connection, shape, MIGRATE)))
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
  if (settings?.server_encoding !== 'UTF8') {
    findings.push(
      error(
        `the encoding of the database is ${settings?.server_encoding}: deliveries with other characters are refused`,
        "create one with encoding 'UTF8', and copy the tables",
      ),
    )
  }
  return findings.concat(
    ADVICE.flatMap(([name, isRisky, risk, fix]) =>
      isRisky(settings?.[name]) ? warning(`${name} is ${settings?.[name]}: ${risk}`, fix) : [],
    ),
  )
}

const nameOf = (table: string): string => table.replace(/^.*\./u, '')

const LONGEST_ID = 256

function shapesOf({ delivery, effect, resource }: Tables): readonly Shape[] {
  return [
    {
      table: delivery,
      key: ['event_id'],
      columns: [
        ...['event_id', 'event_type', 'resource_kind', 'resource_id', 'occurred_at', 'body'],
        ...['body_sha256', 'traceparent', 'received_at', 'due_at', 'claims', 'claim_limit'],
        ...['processed_at', 'outcome', 'last_error'],
      ],
      ids: { event_id: LONGEST_ID, resource_id: LONGEST_ID },
    },
    {
      table: effect,
      key: ['effect_key'],
      columns: ['effect_key', 'event_id', 'at'],
      // The name of the effect and the kind stand before the id.
      ids: { effect_key: 2 * LONGEST_ID, event_id: LONGEST_ID },
    },
    {
      table: resource,
      key: ['kind', 'id'],
      columns: ['kind', 'id', 'status', 'is_final', 'occurred_at', 'rank', 'event_id'],
      ids: { id: LONGEST_ID, event_id: LONGEST_ID },
    },
  ]
}

const INDEXES = [
  ['due', 'claiming'],
  ['resource', 'finding by resource'],
  ['dead', 'counting dead rows'],
  ['kept', 'redacting bodies'],
  ['settled', 'deleting old rows'],
] as const

const SETTINGS = `select current_setting('server_encoding') as server_encoding,
   current_setting('synchronous_commit') as synchronous_commit,
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
