import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replayKit } from 'hookproof/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pool } from '../inbox/drivers.d.ts'
import { hasPostgres, type PostgresServer, startPostgres } from '../inbox/postgres-server.ts'
import { leftOut } from '../requirements.ts'
import { onMemory, onPostgres, onSqlite, type Reference } from './reference.ts'

// A receiver over the inbox shows everything, on every store, whatever the seed: no false alarm.

const require = createRequire(new URL('../inbox/drivers/package.json', import.meta.url))
const DRIVERS = 'test/inbox/drivers/node_modules'
const withoutDrivers = leftOut(existsSync(DRIVERS) ? [] : [DRIVERS])

async function expectShown(open: () => Reference | Promise<Reference>, seeds: readonly number[]) {
  const texts = await Promise.all(
    seeds.map(async (seed) => {
      const { kit, end } = await open()
      const { ok, text, durationMs } = await replayKit({ ...kit, seed }).run()
      await end()
      return { text: ok ? '' : text, durationMs }
    }),
  )
  console.log(
    `${seeds.length} runs, the longest took ${Math.max(...texts.map((one) => one.durationMs))} ms`,
  )
  expect(texts.map(({ text }) => text).join('')).toBe('')
}

const seeds = (count: number) => Array.from({ length: count }, (_, seed) => seed)

test('in memory, 50 seeds', () => expectShown(onMemory, seeds(50)))

describe.skipIf(withoutDrivers)('on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookproof-proofs-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let files = 0
  const open = () => {
    const file = join(folder, `${files++}.db`)
    const Database = require('better-sqlite3')
    return onSqlite(() => new Database(file))
  }

  // Each commit waits for the disk; this is most of the time that the self-test takes.
  test('5 seeds', () => expectShown(open, seeds(5)))
})

describe.skipIf(withoutDrivers || !hasPostgres())('on PostgreSQL', () => {
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    server = await startPostgres()
    const { Pool } = require('pg')
    pool = new Pool({ connectionString: server.url, max: 16 })
  })
  afterAll(async () => {
    await pool?.end()
    await server?.end()
  })
  let tables = 0

  test('5 seeds', () => expectShown(() => onPostgres(pool, `shop_${tables++}_`), seeds(5)))
})
