import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type MakeStore, storeConformance } from '../../dist/inbox/conformance.js'
import { memoryStore } from '../../dist/inbox/index.js'
import { postgresStore } from '../../dist/inbox/postgres.js'
import { sqliteStore } from '../../dist/inbox/sqlite.js'
import { leftOut } from '../requirements.ts'
import { outputOf } from '../runtimes/host/processes.js'
import { hasPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'

// Every store, with every driver, does what an inbox relies on: on real servers and real files.

const require = createRequire(new URL('drivers/package.json', import.meta.url))
const folder = fileURLToPath(new URL('.', import.meta.url))
const withoutDrivers = leftOut(
  existsSync(`${folder}drivers/node_modules`) ? [] : ['test/inbox/drivers/node_modules'],
)

let tables = 0
/** Tables of their own for every check. */
const prefix = () => `check_${tables++}_`

function conformance(name: string, makeStore: MakeStore): void {
  test.each(storeConformance(makeStore).map((check) => [check.name, check] as const))(
    `${name}: %s`,
    (_, { run }) => run(),
  )
}

describe('in memory', () => {
  conformance('memoryStore', async ({ clock }) => memoryStore({ clock }))
})

describe.skipIf(withoutDrivers || !hasPostgres())('PostgreSQL', () => {
  let server: PostgresServer
  const ends: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    for (const end of ends) await end()
    await server?.end()
  })

  describe.each(['read committed', 'repeatable read', 'serializable'])('%s', (isolation) => {
    let pool: import('./drivers.d.ts').Pool
    let sql: import('./drivers.d.ts').Sql
    beforeAll(() => {
      const { Pool } = require('pg')
      pool = new Pool({
        connectionString: server.url,
        max: 16,
        options: `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`,
      })
      sql = require('postgres')(server.url, {
        max: 16,
        onnotice: () => {},
        connection: { default_transaction_isolation: isolation },
      })
      ends.push(
        () => pool.end(),
        () => sql.end(),
      )
    })

    conformance('pg', async ({ clock }) => {
      const store = postgresStore(pool, { clock, prefix: prefix() })
      await store.migrate()
      return store
    })
    conformance('postgres.js', async ({ clock }) => {
      const store = postgresStore(sql, { clock, prefix: prefix() })
      await store.migrate()
      return store
    })
  })
})

describe.skipIf(withoutDrivers)('PGlite', () => {
  let db: import('./drivers.d.ts').PGlite
  beforeAll(async () => {
    const { PGlite } = require('@electric-sql/pglite')
    db = await PGlite.create()
  })
  afterAll(() => db?.close())

  conformance('PGlite', async ({ clock }) => {
    const store = postgresStore(db, { clock, prefix: prefix() })
    await store.migrate()
    return store
  })
})

describe.skipIf(withoutDrivers)('better-sqlite3', () => {
  const files = mkdtempSync(join(tmpdir(), 'hookproof-sqlite-'))
  afterAll(() => rmSync(files, { recursive: true }))

  conformance('better-sqlite3', async ({ clock }) => {
    const Database = require('better-sqlite3')
    const store = sqliteStore(() => new Database(join(files, `${prefix()}.db`)), { clock })
    await store.migrate()
    return store
  })
})

test.skipIf(withoutDrivers)(
  "while another process's transaction keeps an SQLite file locked, this process goes on",
  async ({ expect }) => {
    const folder = mkdtempSync(join(tmpdir(), 'hookproof-locked-'))
    const Database = require('better-sqlite3')
    const open = () => new Database(join(folder, 'shop.db'))
    const store = sqliteStore(open)
    await store.migrate()
    const holder = open()
    const row = {
      ...{ id: 'evt_1', type: 'a', resource: undefined, occurredAt: undefined, body: '{}' },
      ...{ bodySha256: 'aa', traceparent: undefined, claimLimit: 10 },
    }
    // Who holds the lock can only let go if this process is not stopped by the wait for it.
    const whileLocked = async <T>(work: () => Promise<T>): Promise<T> => {
      holder.exec('begin immediate')
      setTimeout(() => holder.exec('rollback'), 5)
      return work()
    }
    expect(await whileLocked(() => store.record(row))).toEqual({ outcome: 'recorded' })
    const [claim] = await whileLocked(() => store.claim({ limit: 1, leaseMs: 60_000 }))
    if (claim === undefined) throw new Error('nothing was claimed')
    expect(await whileLocked(() => store.renew(claim, 60_000))).toBe(true)
    let ran = 0
    const apply = () => {
      ran++
      return 'done' as const
    }
    expect(await whileLocked(() => store.settle(claim, apply))).toBe('settled')
    expect(ran).toBe(1)
    const impatient = sqliteStore(open, { busyTimeoutMs: 0 })
    holder.exec('begin immediate')
    await expect(impatient.record({ ...row, id: 'evt_2' })).rejects.toThrow('database is locked')
    holder.exec('rollback')
    await impatient.record({ ...row, id: 'evt_2' })
    const [second] = await store.claim({ limit: 1, leaseMs: 60_000 })
    // What apply throws is not repeated, even if it says the same of another database.
    const failing = store.settle(second as typeof claim, () => {
      ran++
      throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    })
    await expect(failing).rejects.toThrow('database is locked')
    expect(ran).toBe(2)
    for (const each of [store, impatient, holder]) await each.close()
    rmSync(folder, { recursive: true })
  },
)

/** The drivers that are part of a runtime, in it. */
const RUNTIMES = [
  ['node:sqlite', 'node22/bin/node'],
  ['bun:sqlite', '@oven/bun-linux-x64/bin/bun'],
] as const

describe.each(RUNTIMES)('%s', (driver, path) => {
  const program = `${folder}../runtimes/node_modules/${path}`
  test.skipIf(leftOut(existsSync(program) ? [] : [program.replace(/^.*\.\.\//u, 'test/')]))(
    'does what an inbox relies on',
    async ({ expect }) => {
      const printed = await outputOf(
        program,
        [`${folder}sqlite-conformance.js`, driver],
        60,
        folder,
      )
      const lines = printed.trim().split('\n')
      expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([])
      expect(lines).toHaveLength(storeConformance(async () => memoryStore()).length)
    },
  )
})
