import type { InboxStore } from '../store.ts'
import { migrationText, tablesOf } from '../tables.ts'
import { connect, type SqliteDatabase } from './connection.ts'
import { migrations } from './migrate.ts'
import { createStore } from './store.ts'

export type { SqliteDatabase, SqliteStatement } from './connection.ts'

export interface SqliteStoreOptions {
  /** What the names of the tables begin with; default `webhook_`. */
  readonly prefix?: string | undefined
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: (() => number) | undefined
  /** How long a statement waits for another process's transaction, in milliseconds; default 2,500. */
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
  { prefix, clock = Date.now, busyTimeoutMs = 2_500 }: SqliteStoreOptions = {},
): InboxStore<Db, 'sync'> {
  return createStore(connect(open, busyTimeoutMs), tablesOf(prefix), clock)
}

/** The tables as text, for people who run migrations of their own; safe to run again. */
export function migrationSql({ prefix }: SqliteStoreOptions = {}): string {
  return migrationText(migrations, tablesOf(prefix))
}
