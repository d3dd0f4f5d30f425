import type {
  ClientOf,
  PgClient,
  PgPool,
  PostgresJs,
  Transactional,
  TransactionSqlOf,
} from './postgres/connection.ts'
import { migrations } from './postgres/migrate.ts'
import { createStore } from './postgres/store.ts'
import type { InboxStore } from './store.ts'
import { migrationText, readStoreOptions, tablesOf } from './tables.ts'

export type {
  ClientOf,
  PgClient,
  PgPool,
  PostgresJs,
  PostgresJsQuery,
  Transactional,
  TransactionSqlOf,
} from './postgres/connection.ts'

export interface PostgresStoreOptions {
  /** What the names of the tables begin with, a schema and a dot included; default `webhook_`. */
  readonly prefix?: string | undefined
  /** Milliseconds since 1970; default: the database's own clock, so that workers may differ. */
  readonly clock?: (() => number) | undefined
}

/**
 * Keeps the rows of an inbox in PostgreSQL 12 or later: for any number of workers on any number of
 * hosts. Takes a `Pool` of `pg`, the `sql` of postgres.js, PGlite, or any `{ query, transaction }`;
 * `apply` gets that library's own transaction.
 *
 * @example
 * ```ts
 * import { postgresStore } from 'hookproof/inbox/postgres'
 * import { Pool } from 'pg'
 *
 * export const store = postgresStore(new Pool({ connectionString: process.env.DATABASE_URL }))
 * await store.migrate()
 * ```
 */
export function postgresStore<Pool extends PgPool>(
  db: Pool,
  options?: PostgresStoreOptions,
): InboxStore<ClientOf<Pool>, 'async'>
export function postgresStore<Sql extends PostgresJs>(
  db: Sql,
  options?: PostgresStoreOptions,
): InboxStore<TransactionSqlOf<Sql>, 'async'>
export function postgresStore<Tx extends PgClient>(
  db: Transactional<Tx>,
  options?: PostgresStoreOptions,
): InboxStore<Tx, 'async'>
export function postgresStore(
  db: object,
  options: PostgresStoreOptions = {},
): InboxStore<object, 'async'> {
  const { prefix, clock } = readStoreOptions(options, ['prefix', 'clock'])
  return createStore(db, tablesOf(prefix), clock)
}

/** The tables as text, for people who run migrations of their own; safe to run again. */
export function migrationSql({ prefix }: PostgresStoreOptions = {}): string {
  return migrationText(migrations, tablesOf(prefix))
}
