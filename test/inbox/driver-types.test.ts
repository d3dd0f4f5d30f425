import ts from 'typescript'
import { expect, test } from 'vitest'
import { compile } from '../types/compile.ts'
import { hasDrivers } from './programs/start.ts'

// What `apply` gets is the driver's own type, by the declarations that each driver has.

const OPTIONS: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
}

const judge = (...lines: readonly string[]) =>
  compile(
    [{ name: '../../inbox/drivers/usage.ts', text: [...IMPORTS, ...lines].join('\n') }],
    OPTIONS,
  )
const IMPORTS = [
  "import { PGlite, type Transaction } from '@electric-sql/pglite'",
  "import { Client, Pool, type PoolClient } from 'pg'",
  "import postgres from 'postgres'",
  "import { createInbox, type InboxStore } from '../../../dist/inbox/index.js'",
  "import { type PgClient, postgresStore } from '../../../dist/inbox/postgres.js'",
  'const ofPg = postgresStore(new Pool())',
  "const ofPostgres = postgresStore(postgres(''))",
  'const ofPglite = postgresStore(new PGlite())',
]

test.skipIf(!hasDrivers())("a store's transaction is that of its driver", () => {
  const findings = judge(
    "check<Equal<typeof ofPg, InboxStore<PoolClient, 'async'>>>()",
    "check<Equal<typeof ofPostgres, InboxStore<postgres.TransactionSql<{}>, 'async'>>>()",
    "check<Equal<typeof ofPglite, InboxStore<Transaction, 'async'>>>()",
    'interface OnlyPromises extends PgClient { connect(): Promise<PoolClient & { own: 1 }> }',
    'declare const only: OnlyPromises',
    'const ofOnly = postgresStore(only)',
    "check<Equal<typeof ofOnly, InboxStore<PoolClient & { own: 1 }, 'async'>>>()",
    'declare const query: PgClient["query"]',
    'type Own = PgClient & { own: 1 }',
    'const ofOwn = postgresStore<Own>({ query, transaction: async (work) => work({ query, own: 1 }) })',
    "check<Equal<typeof ofOwn, InboxStore<Own, 'async'>>>()",
    'createInbox({ store: ofPg, handlers: { default: { async apply(tx) {',
    "  const { rowCount, rows } = await tx.query<{ n: number }>('select 1 as n', [])",
    '  check<Equal<typeof rows, { n: number }[]>>()',
    '  void rowCount',
    '} } } })',
    'createInbox({ store: ofPostgres, handlers: { default: { async apply(tx) {',
    '  await tx`select 1`',
    '} } } })',
    '// @ts-expect-error TS2769',
    'postgresStore(new Client())',
  )
  expect(findings).toEqual([])
})
