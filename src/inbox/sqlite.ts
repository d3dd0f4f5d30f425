import { fail } from '../core/errors.ts'
import { wholeNumber } from '../core/options.ts'
import { connect, type SqliteDatabase } from './sqlite/connection.ts'
import { migrations } from './sqlite/migrate.ts'
import { createStore } from './sqlite/store.ts'
import type { InboxStore } from './store.ts'
import { migrationText, readStoreOptions, type Tables, tablesOf } from './tables.ts'

export type { SqliteDatabase, SqliteStatement } from './sqlite/connection.ts'

export interface SqliteStoreOptions {
  /** What the names of the tables begin with; default `webhook_`. */
  readonly prefix?: string | undefined
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: (() => number) | undefined
  /**
   * How long a statement is repeated while another process's transaction is open, in milliseconds;
   * default 2,500. This process goes on meanwhile.
   */
  readonly busyTimeoutMs?: number | undefined
}

/**
 * Keeps the rows of an inbox in an SQLite file, for the processes of one machine. `open` opens a
 * database of `node:sqlite`, `bun:sqlite` or better-sqlite3; the store owns that connection, and
 * `apply` gets it as its transaction. `apply` must be synchronous: wait in `prepare`.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from 'node:sqlite'
 * import { sqliteStore } from 'hookproof/inbox/sqlite'
 *
 * export const store = sqliteStore(() => new DatabaseSync('shop.db'))
 * await store.migrate()
 * ```
 */
export function sqliteStore<Db extends SqliteDatabase>(
  open: () => Db,
  options: SqliteStoreOptions = {},
): InboxStore<Db, 'sync'> {
  const known = ['prefix', 'clock', 'busyTimeoutMs']
  const { prefix, clock = Date.now, busyTimeoutMs = 2_500 } = readStoreOptions(options, known)
  wholeNumber(busyTimeoutMs, 0, 'store_invalid', 'busyTimeoutMs must be')
  return createStore(connect(open, busyTimeoutMs), ownTables(prefix), clock)
}

/** The tables as text, for people who run migrations of their own; safe to run again. */
export function migrationSql({ prefix }: SqliteStoreOptions = {}): string {
  return migrationText(migrations, ownTables(prefix))
}

function ownTables(prefix: string | undefined): Tables {
  if (!String(prefix).includes('.')) return tablesOf(prefix)
  return fail('store_invalid', 'on SQLite prefix has no schema: a file is one')
}
