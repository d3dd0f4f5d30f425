// A shop that books what an inbox gives it, on any of the databases. Its table of bookings has no key
// that would hide a second one. Plain JavaScript, for the tests and for the programs they start.
import { createRequire } from 'node:module'
import { postgresStore } from '../../../dist/inbox/postgres/index.js'
import { sqliteStore } from '../../../dist/inbox/sqlite/index.js'

const require = createRequire(new URL('../drivers/package.json', import.meta.url))

/**
 * Where a shop keeps its rows: a driver, and the URL of a server or the path of a file.
 * @typedef {{
 *   driver: 'pg' | 'postgres' | 'better-sqlite3' | 'node:sqlite' | 'bun:sqlite',
 *   at: string,
 *   prefix?: string,
 *   settings?: Record<string, string>,
 *   connections?: number,
 *   aheadMs?: number,
 * }} ShopSpec `settings` are those of each connection; `aheadMs` is how far the store's clock is ahead
 */

/**
 * @typedef {{
 *   store: any,
 *   book: (tx: any, invoice: string, delivery: string) => void | Promise<void>,
 *   query: (sql: string) => Promise<any[]>,
 *   bookings: () => Promise<string[]>,
 *   end: () => Promise<void>,
 * }} Shop
 */

/**
 * @param {ShopSpec} spec
 * @returns {Promise<Shop>}
 */
export async function openShop(spec) {
  const shop = await open(spec)
  return {
    ...shop,
    /** The invoices that are booked, once for each time. */
    async bookings() {
      const rows = await shop.query('select invoice from booking order by invoice')
      return rows.map(({ invoice }) => invoice)
    },
  }
}

/**
 * Makes the tables, once for all processes.
 * @param {Shop} shop
 */
export async function createTables({ store, query }) {
  await store.migrate()
  await query('create table if not exists booking (invoice text not null, delivery text not null)')
}

/** @param {ShopSpec} spec */
async function open({ driver, at, prefix, settings = {}, connections = 4, aheadMs = 0 }) {
  const clock = aheadMs === 0 ? undefined : () => Date.now() + aheadMs
  const options = { prefix, clock }
  if (driver === 'pg') {
    const { Pool } = require('pg')
    const set = Object.entries(settings).map(([name, value]) => `-c ${name}=${escaped(value)}`)
    const pool = new Pool({ connectionString: at, max: connections, options: set.join(' ') })
    return {
      store: postgresStore(pool, options),
      book: (tx, ...values) => tx.query(BOOK_POSTGRES, values),
      query: async (sql) => (await pool.query(sql)).rows,
      end: () => pool.end(),
    }
  }
  if (driver === 'postgres') {
    const sql = require('postgres')(at, {
      max: connections,
      onnotice: () => {},
      connection: settings,
    })
    return {
      store: postgresStore(sql, options),
      book: (tx, ...values) => tx.unsafe(BOOK_POSTGRES, values),
      query: (text) => sql.unsafe(text),
      end: () => sql.end({ timeout: 1 }),
    }
  }
  const Database = await sqliteOf(driver)
  const store = sqliteStore(() => new Database(at), options)
  const db = new Database(at)
  return {
    store,
    book: (tx, ...values) => {
      tx.prepare('insert into booking values (?, ?)').run(...values)
    },
    query: async (sql) => {
      const statement = db.prepare(sql)
      return /^create/u.test(sql) ? [statement.run()] : statement.all()
    },
    end: async () => {
      db.close()
      await store.close()
    },
  }
}

const BOOK_POSTGRES = 'insert into booking values ($1, $2)'

/** @param {string} value */
function escaped(value) {
  return value.replaceAll(' ', '\\ ')
}

/** @param {string} driver */
async function sqliteOf(driver) {
  if (driver === 'better-sqlite3') return require(driver)
  const { DatabaseSync, Database = DatabaseSync } = await import(driver)
  return Database
}

/**
 * The handler of a shop: it books what was paid. Guarded by the resource, or by nothing but the inbox.
 * @param {Shop} shop
 * @param {{ guarded?: boolean, reach?: (point: string) => unknown, fails?: () => boolean }} [more]
 *   `reach` is told of each point on the way
 */
export function bookingHandler({ book }, { guarded = false, reach = () => {}, fails } = {}) {
  return {
    prepare: () => reach('in prepare'),
    apply: (tx, event, { once, delivery }) =>
      chain(guarded ? once('fulfil') : true, (isFirst) =>
        chain(isFirst ? book(tx, event.data.invoice_id, delivery.id) : undefined, () => {
          if (fails?.()) throw new Error('out of stock')
          return chain(reach('in apply'), () => 'done')
        }),
      ),
  }
}

/**
 * `then` for a value that may be there already, as on a store that cannot wait.
 * @param {any} value
 * @param {(value: any) => any} next
 * @returns {any}
 */
export function chain(value, next) {
  return value instanceof Promise ? value.then(next) : next(value)
}
