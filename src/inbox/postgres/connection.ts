import { fail } from '../../core/errors.ts'
import { hasMethod } from '../../core/options.ts'

type Row = { readonly [column: string]: unknown }

export interface Session {
  /** Runs one statement with its parameters, as `$1`, `$2` … */
  readonly query: (text: string, parameters: readonly unknown[]) => Promise<readonly Row[]>
  /** Several statements without parameters. */
  readonly script: (text: string) => PromiseLike<unknown>
}

/** What is asked of a driver: statements of their own, and transactions. */
export interface Connection<Tx> extends Session {
  /** When `abandoned` rejects it is rolled back at once, if the driver lets go of a connection. */
  readonly transaction: <T>(
    work: (tx: Tx, session: Session) => Promise<T>,
    abandoned?: Promise<never>,
  ) => Promise<T>
}

interface Result {
  readonly rows: readonly Row[]
}

/** A client of `pg`, by the part that is called. */
export interface PgClient {
  query(text: string, parameters?: unknown[]): Promise<Result>
}

/** A `Pool` of `pg`, by shape. */
export interface PgPool<Client extends PgClient = PgClient> extends PgClient {
  connect(): Promise<Client & { release(broken?: boolean): void }>
}

/** PGlite, by shape, and what an ORM can be made to look like in a few lines. */
export interface Transactional<Tx extends PgClient> extends PgClient {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T | undefined>
}

/**
 * The client of a pool. Its `connect` also takes a callback, and of overloads only those at the end
 * are inferred from: as many are named here.
 */
export type ClientOf<Pool> = Pool extends {
  connect: { (): Promise<infer Client>; (callback: never): infer Last }
}
  ? Last extends Promise<infer Only>
    ? Only
    : Client
  : never

/** The `sql` of postgres.js, by shape. */
export interface PostgresJs<Tx extends PostgresJsQuery = PostgresJsQuery> extends PostgresJsQuery {
  begin<T>(work: (tx: Tx) => Promise<T>): Promise<unknown>
}

/** The `sql` of a transaction; `begin` takes options as well, in an overload of its own. */
export type TransactionSqlOf<Sql> = Sql extends {
  begin: {
    (work: (tx: infer Tx) => never): unknown
    (options: string, work: never): unknown
  }
}
  ? Tx
  : Sql extends { begin(work: (tx: infer Tx) => never): unknown }
    ? Tx
    : never

export interface PostgresJsQuery {
  // biome-ignore lint/suspicious/noExplicitAny: postgres.js narrows its parameters to what it can write
  unsafe(text: string, parameters?: any[]): PromiseLike<readonly unknown[]>
}

export function connectionOf<Tx>(db: object): Connection<Tx> {
  if (hasMethod(db, 'unsafe') && hasMethod(db, 'begin')) return ofPostgresJs(db as never)
  if (hasMethod(db, 'query') && hasMethod(db, 'transaction')) return ofTransactional(db as never)
  if (hasMethod(db, 'query') && hasMethod(db, 'connect')) return ofPool(db as never)
  return fail(
    'store_invalid',
    'postgresStore takes a Pool of pg, the sql of postgres.js, PGlite, or { query, transaction }',
  )
}

function sessionOf(client: PgClient & { exec?(text: string): Promise<unknown> }): Session {
  return {
    query: async (text, parameters) => (await client.query(text, [...parameters])).rows,
    script: (text) => client.exec?.(text) ?? client.query(text),
  }
}

function ofPool<Tx>(pool: PgPool): Connection<Tx> {
  // A server that restarts breaks the connections that are idle. The pool replaces them, but without a
  // listener what it tells of them would end the process.
  const { on, listeners } = pool as Emitter
  if (!listeners?.call(pool, 'error').includes(ignore)) on?.call(pool, 'error', ignore)
  return {
    ...sessionOf(pool),
    async transaction(work, abandoned) {
      const client = await pool.connect()
      // A connection that breaks between two statements says so here, and in the next statement.
      const { on, off } = client as Emitter
      on?.call(client, 'error', ignore)
      let isBroken = false
      try {
        const begin = abandoned ? 'begin; select pg_backend_pid() as pid' : 'begin'
        const begun: unknown = await client.query(begin)
        const working = work(client as Tx, sessionOf(client))
        let isOpen = true
        const abandon = (reason: unknown) => {
          if (isOpen) {
            isBroken = true
            terminate(pool, begun)
          }
          throw reason
        }
        const given = abandoned ? [working, abandoned.catch(abandon)] : [working]
        const result = await Promise.race(given).finally(() => {
          isOpen = false
        })
        await client.query('commit')
        return result
      } catch (error) {
        if (isBroken) throw error
        await client.query('rollback').catch(() => {
          isBroken = true
        })
        throw error
      } finally {
        // One that is destroyed may have an error to tell of yet.
        if (!isBroken) off?.call(client, 'error', ignore)
        client.release(isBroken)
      }
    },
  }
}

/**
 * Ends the server's side of a transaction that is given up: a statement in it that waits for a lock
 * would hold the delivery's row until then. The process id is the server's own, whatever pooler is
 * between, and ours for as long as the transaction is open.
 */
function terminate(pool: PgPool, begun: unknown): void {
  const [, selected] = Array.isArray(begun) ? (begun as readonly Result[]) : []
  const pid = selected?.rows[0]?.pid
  if (pid === undefined) return
  pool.query('select pg_terminate_backend($1)', [pid]).catch(ignore)
}

interface Emitter {
  on?(event: 'error', listener: () => void): unknown
  off?(event: 'error', listener: () => void): unknown
  listeners?(event: 'error'): readonly unknown[]
}

function ignore(): void {}

function ofTransactional<Tx>(db: Transactional<PgClient>): Connection<Tx> {
  return {
    ...sessionOf(db),
    transaction: <T>(work: (tx: Tx, session: Session) => Promise<T>) =>
      db.transaction((tx) => work(tx as Tx, sessionOf(tx))) as Promise<T>,
  }
}

function ofPostgresJs<Tx>(sql: PostgresJs<PostgresJsQuery>): Connection<Tx> {
  const session = (client: PostgresJsQuery): Session => ({
    query: async (text, parameters) => (await client.unsafe(text, [...parameters])) as Row[],
    script: (text) => client.unsafe(text),
  })
  const transaction = <T>(work: (tx: Tx, session: Session) => Promise<T>) =>
    sql.begin((tx) => work(tx as Tx, session(tx))) as Promise<T>
  return {
    ...session(sql),
    // In a transaction of its own: this driver calls a statement done when the server says so, and
    // the server says so before the commit that follows, which may fail.
    query: (text, parameters) => transaction((_, { query }) => query(text, parameters)),
    transaction,
  }
}
