import { createRequire } from 'node:module'
import { type PostgresServer, startPostgres } from '../inbox/postgres-server.ts'

/** The database of an example, on a server of its own. */
export interface ShopDatabase {
  readonly url: string
  readonly query: (text: string) => Promise<unknown[]>
  /** The invoices that are booked. */
  readonly booked: () => Promise<string[]>
  readonly end: () => Promise<void>
}

/** `folder` is where the driver is found. */
export async function startShopDatabase(folder: string): Promise<ShopDatabase> {
  const server: PostgresServer = await startPostgres()
  const { Pool } = createRequire(`${folder}/`)('pg')
  const pool = new Pool({ connectionString: server.url })
  pool.on('error', () => {})
  return {
    url: server.url,
    query: async (text) => (await pool.query(text)).rows,
    async booked() {
      const { rows } = await pool.query('select invoice_id from booking order by invoice_id')
      return rows.map((row: { invoice_id: string }) => row.invoice_id)
    },
    async end() {
      await pool.end()
      await server.end()
    },
  }
}
