import { fail } from '../../core/errors.ts'
import { discardPromise } from '../../core/promises.ts'
import type { Row } from '../rows.ts'

type Value = string | number | null

/** A statement of `node:sqlite`, `bun:sqlite` or better-sqlite3, by the part that is called. */
export interface SqliteStatement {
  all(...parameters: Value[]): unknown[]
  run(...parameters: Value[]): unknown
}

/** A database of `node:sqlite`, `bun:sqlite` or better-sqlite3, by shape. */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): SqliteStatement
  close(): unknown
}

export interface Connection<Db> {
  readonly db: Db
  /** A statement that gives rows. */
  readonly query: (sql: string, ...parameters: readonly Value[]) => readonly Row[]
  /** How many rows of deliveries a statement changed. */
  readonly touched: (sql: string, ...parameters: readonly Value[]) => number
  /** A statement that gives none. */
  readonly run: (sql: string, ...parameters: readonly Value[]) => void
  /** All or nothing; the work cannot wait, since every other statement would fall into it. */
  readonly transaction: <T>(work: () => T) => T
}

export function connect<Db extends SqliteDatabase>(open: () => Db, busyMs: number): Connection<Db> {
  if (typeof open !== 'function') {
    fail(
      'store_invalid',
      'sqliteStore takes a function that opens a database: a connection that others use as well would take rows into their transactions',
    )
  }
  const db = open()
  // A committed row is on the disk: an acknowledged delivery is not sent again.
  db.exec('pragma journal_mode = wal')
  db.exec('pragma synchronous = full')
  db.exec(`pragma busy_timeout = ${busyMs}`)
  const statements = new Map<string, SqliteStatement>()
  const prepared = (sql: string): SqliteStatement => {
    const statement = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const query: Connection<Db>['query'] = (sql, ...parameters) =>
    prepared(sql).all(...parameters) as Row[]
  return {
    db,
    query,
    touched: (sql, ...parameters) => query(`${sql} returning event_id`, ...parameters).length,
    run: (sql, ...parameters) => {
      prepared(sql).run(...parameters)
    },
    transaction(work) {
      db.exec('begin immediate')
      try {
        const result = work()
        assertSync(result)
        db.exec('commit')
        return result
      } catch (error) {
        // SQLite itself may have rolled back already, as for a full disk.
        attempt(() => db.exec('rollback'))
        throw error
      }
    },
  }
}

/** Refuses the promise of a function that should have finished. */
export function assertSync(value: unknown): void {
  if (discardPromise(value)) {
    fail('apply_async', 'on SQLite apply and onRecord must not return a promise; wait in prepare')
  }
}

function attempt(work: () => unknown): void {
  try {
    work()
  } catch {}
}
