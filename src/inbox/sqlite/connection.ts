import { fail } from '../../core/errors.ts'
import { discardPromise } from '../../core/promises.ts'
import type { Row } from '../rows.ts'
import { pause } from '../timers.ts'

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
  readonly transaction: <T>(work: () => T) => Promise<T>
  /** Repeats what another process's transaction keeps out, and lets this process go on meanwhile. */
  readonly patiently: <T>(work: () => T) => Promise<T>
}

export function connect<Db extends SqliteDatabase>(open: () => Db, busyMs: number): Connection<Db> {
  if (typeof open !== 'function') {
    fail(
      'store_invalid',
      'sqliteStore takes a function that opens a database: a connection that others use as well would take rows into their transactions',
    )
  }
  const db = opened(open)
  // First, for the next statement may have to wait already.
  db.exec(`pragma busy_timeout = ${busyMs}`)
  switchToWal(db)
  // A committed row is on the disk: an acknowledged delivery is not sent again.
  db.exec('pragma synchronous = full')
  // SQLite's own wait would stop all else in the process, answers included.
  db.exec('pragma busy_timeout = 0')
  const statements = new Map<string, SqliteStatement>()
  const prepared = (sql: string): SqliteStatement => {
    const statement = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const query: Connection<Db>['query'] = (sql, ...parameters) =>
    prepared(sql).all(...parameters) as Row[]
  const patiently: Connection<Db>['patiently'] = async (work) => {
    for (let waited = 0; ; ) {
      try {
        return work()
      } catch (error) {
        if (waited >= busyMs || !isBusy(error)) throw error
      }
      const ms = 1 + Math.random() * 20
      waited += ms
      await pause(ms)
    }
  }
  return {
    db,
    query,
    touched: (sql, ...parameters) => query(`${sql} returning event_id`, ...parameters).length,
    run: (sql, ...parameters) => {
      prepared(sql).run(...parameters)
    },
    patiently,
    async transaction(work) {
      const ended = await patiently(() => {
        db.exec('begin immediate')
        // Only the wait for the lock is repeated, not the work.
        return commit(db, work)
      })
      if ('error' in ended) throw ended.error
      return ended.result
    },
  }
}

function opened<Db extends SqliteDatabase>(open: () => Db): Db {
  const db = open()
  const methods = ['exec', 'prepare', 'close'] as const
  if (!discardPromise(db) && methods.every((name) => typeof db?.[name] === 'function')) return db
  return fail(
    'store_invalid',
    'the function given to sqliteStore must return a database of node:sqlite, bun:sqlite or better-sqlite3, and no promise',
  )
}

function commit<T>(db: SqliteDatabase, work: () => T): { result: T } | { error: unknown } {
  try {
    const result = work()
    assertSync(result)
    db.exec('commit')
    return { result }
  } catch (error) {
    // SQLite itself may have rolled back already, as for a full disk.
    attempt(() => db.exec('rollback'))
    return { error }
  }
}

/** Every driver says so in a way of its own. */
function isBusy(error: unknown): boolean {
  const { code, errcode, errno } = Object(error) as { [member: string]: unknown }
  return String(code).startsWith('SQLITE_BUSY') || (Number(errcode ?? errno) & 0xff) === BUSY
}
const BUSY = 5

/**
 * Processes that open a new file at the same time are told that it is busy, without a wait. So wait
 * for whoever writes, and try again.
 */
function switchToWal(db: SqliteDatabase): void {
  for (let time = 1; ; time++) {
    try {
      db.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (time === 10) throw error
      db.exec('begin immediate')
      db.exec('rollback')
    }
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
