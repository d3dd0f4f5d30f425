import type { Tables } from '../tables.ts'
import { again } from './again.ts'
import type { Connection, Session } from './connection.ts'

/** What every statement of the store is made of, and run with. */
export interface Statements {
  readonly tables: Tables
  /** A parameter: the time, if the store has a clock of its own. */
  readonly now: () => number | null
  /** Runs one statement in a transaction of its own. */
  readonly run: (text: string, ...parameters: unknown[]) => ReturnType<Session['query']>
  /** How many rows of deliveries a statement changed. */
  readonly touched: (text: string, ...parameters: unknown[]) => Promise<number>
  readonly transaction: Connection<object>['transaction']
  readonly sessionOf: (tx: object) => Session
}

export function statementsOf(
  connection: Connection<object>,
  tables: Tables,
  clock: (() => number) | undefined,
): Statements {
  const sessions = new WeakMap<object, Session>()
  const run: Statements['run'] = (text, ...parameters) =>
    again(() => connection.query(text, parameters))
  return {
    tables,
    now: () => clock?.() ?? null,
    run,
    touched: async (text, ...parameters) =>
      (await run(`${text} returning event_id`, ...parameters)).length,
    transaction: (work, abandoned) =>
      again(() =>
        connection.transaction((tx, session) => {
          sessions.set(tx, session)
          return work(tx, session)
        }, abandoned),
      ),
    sessionOf: (tx) => sessions.get(tx) as Session,
  }
}

/** `$n` is the time from `now`, or null. Stable within a statement, so that an index serves it. */
export function at(n: number): string {
  return `coalesce(to_timestamp($${n}::float8 / 1000), statement_timestamp())`
}

/** So many milliseconds, `$ms`, after that. */
export function after(n: number, ms: number): string {
  return `${at(n)} + ${milliseconds(ms)}`
}

export function milliseconds(n: number): string {
  return `$${n}::float8 * interval '1 millisecond'`
}

/** The strings of a list that is passed as JSON, which all drivers write alike. */
export function listed(n: number): string {
  return `(select jsonb_array_elements_text($${n}::text::jsonb))`
}

/** A time of the table as milliseconds since 1970. */
export function ms(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::float8 as ${column}`
}

/** What `claimOf` and `storedOf` both read. */
export function columns(): string {
  return `event_id, event_type, resource_kind, resource_id,
    occurred_at::float8 as occurred_at, body, claims, ${ms('received_at')}`
}
