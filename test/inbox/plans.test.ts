import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { InboxStore } from '../../dist/inbox/index.js'
import { postgresStore } from '../../dist/inbox/postgres.js'
import { sqliteStore } from '../../dist/inbox/sqlite.js'
import type { Pool } from './drivers.d.ts'
import { hasPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'
import { hasDrivers } from './programs/start.ts'

// What the statements of the store cost, by PostgreSQL's own account: plans and pages, never time.

const require = createRequire(new URL('drivers/package.json', import.meta.url))

interface Plan {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Tuples Inserted'?: number
  readonly 'Conflicting Tuples'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

const SMALL = 1_000
const LARGE = 500_000
/** Older than any row here, so that nothing is found. */
const LONG_AGO_MS = 10 ** 12

const DELIVERY = {
  ...{ id: 'evt_1', type: 'invoice.paid', resource: { kind: 'invoice', id: 'inv_1' } },
  ...{ occurredAt: 1, body: '{}', bodySha256: 'aa', traceparent: undefined, claimLimit: 10 },
}

/** What runs while there are many rows. */
const CALLS: readonly (readonly [string, (store: InboxStore) => Promise<unknown>])[] = [
  ['stats()', (store) => store.stats()],
  ['find() by id', (store) => store.find({ id: 'evt_1' })],
  ['find() by resource', (store) => store.find({ resourceId: 'inv_1' })],
  ['find() of what is dead', (store) => store.find({ outcome: 'dead' })],
  ['purge() of bodies', (store) => store.purge({ redactOlderMs: LONG_AGO_MS, limit: 1000 })],
  [
    'purge() of dead bodies',
    (store) => store.purge({ redactDeadOlderMs: LONG_AGO_MS, limit: 1000 }),
  ],
  ['purge() of rows', (store) => store.purge({ deleteOlderMs: LONG_AGO_MS, limit: 1000 })],
  ['purge() of a resource', (store) => store.purge({ resourceIds: ['inv_1'], limit: 1000 })],
  ['redrive()', (store) => store.redrive({ ids: ['evt_1'], outcome: 'dead', claims: 1 })],
]

describe.skipIf(!hasDrivers() || !hasPostgres())('PostgreSQL', () => {
  let server: PostgresServer
  let pool: Pool
  /** The statement of the store that ran last. */
  let last: readonly [text: string, parameters: unknown[]]
  /** The store on a table of settled deliveries, so many. */
  const stores = new Map<number, ReturnType<typeof storeWith>>()

  const storeWith = (prefix: string) =>
    postgresStore(
      {
        query(text: string, parameters: unknown[] = []) {
          last = [text, parameters]
          return pool.query(text, parameters)
        },
        transaction: async <T>(work: (tx: Pool) => Promise<T>) => work(pool),
      },
      { prefix },
    )

  beforeAll(async () => {
    server = await startPostgres('-c fsync=off', '-c autovacuum=off')
    const { Pool } = require('pg')
    pool = new Pool({ connectionString: server.url, max: 1 }) as Pool
    for (const rows of [SMALL, LARGE]) {
      const table = `with_${rows}_delivery`
      const store = storeWith(`with_${rows}_`)
      await store.migrate()
      // In no order of their ids, as they come. Bodies have gone, as of most they have.
      await pool.query(`insert into ${table}
          (event_id, event_type, resource_kind, resource_id, body_sha256, processed_at, outcome, claims)
        select 'evt_' || md5(n::text), 'invoice.paid', 'invoice', 'inv_' || n, md5(n::text), now(), 'done', 1
        from generate_series(1, ${rows}) n`)
      await pool.query(`vacuum analyze ${table}`)
      stores.set(rows, store)
    }
  })
  afterAll(async () => {
    await pool?.end()
    await server?.end()
  })

  /** Runs the last statement again, for its plan and what it reads; what it changes is undone. */
  async function explained(): Promise<Plan> {
    const [text, parameters] = last
    await pool.query('begin')
    const { rows } = await pool.query(`explain (analyze, buffers, format json) ${text}`, parameters)
    await pool.query('rollback')
    return rows[0]['QUERY PLAN'][0].Plan
  }

  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]
  const pages = (plan: Plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  const delivery = (id: string) => ({ ...DELIVERY, id })

  async function duplicateOn(rows: number): Promise<Plan> {
    const id = `evt_c4ca4238a0b923820dcc509a6f75849b`
    expect(await stores.get(rows)?.record(delivery(id))).toMatchObject({ outcome: 'duplicate' })
    // A second time, with all pages in the cache and all hints written.
    await explained()
    return explained()
  }

  test('a duplicate costs one conflicting tuple, and no more than a level of the index more on 500 times as many rows', async () => {
    const [small, large] = [await duplicateOn(SMALL), await duplicateOn(LARGE)]
    for (const plan of [small, large]) {
      const [insert] = nodes(plan).filter((node) => node['Conflicting Tuples'] !== undefined)
      expect(insert).toMatchObject({ 'Conflicting Tuples': 1, 'Tuples Inserted': 0 })
      expect(nodes(plan).map((node) => node['Node Type'])).not.toContain('Seq Scan')
    }
    // Two look-ups, for the conflict and for what is known of the row. Each reads a page for every
    // level of the index, two or three of these, and the row's own.
    expect([pages(small), pages(large)]).toEqual([6, 8])
  })

  test.each(CALLS)('%s never reads the whole table of deliveries', async (_, call) => {
    await call(stores.get(LARGE) as InboxStore)
    const plan = await explained()
    expect(pages(plan)).toBeLessThan(50)
  })

  test('a claim reads the rows that are due by their own index, whatever else is there', async () => {
    const costs: number[] = []
    for (const rows of [SMALL, LARGE]) {
      const store = stores.get(rows)
      for (let number = 0; number < 20; number++) await store?.record(delivery(`evt_due_${number}`))
      const claims = await store?.claim({ limit: 10, leaseMs: 0 })
      expect(claims).toHaveLength(10)
      await explained()
      const plan = await explained()
      const used = nodes(plan).map((node) => node['Index Name'])
      expect(used).toContain(`with_${rows}_delivery_due`)
      expect(nodes(plan).map((node) => node['Node Type'])).not.toContain('Seq Scan')
      costs.push(pages(plan))
    }
    // Ten rows, each of which is found again and written by an index that may be a level deeper.
    const [small = 0, large = 0] = costs
    expect(large - small).toBeLessThanOrEqual(3 * 10)
  })
})

describe.skipIf(!hasDrivers())('SQLite', () => {
  test.each([
    ...CALLS,
    ['record()', (store) => store.record(DELIVERY)],
    ['claim()', (store) => store.claim({ limit: 10, leaseMs: 0 })],
    ['claim() by id', (store) => store.claim({ limit: 1, leaseMs: 0, id: 'evt_1' })],
  ] as typeof CALLS)('%s never reads the whole table of deliveries', async (_, call) => {
    const Database = require('better-sqlite3')
    const db = new Database(':memory:')
    const plans: string[][] = []
    /** Explains a statement with what it is run with, which the planner looks at. */
    const explain = (text: string, parameters: unknown[]) => {
      const plan = db.prepare(`explain query plan ${text}`).all(parameters)
      plans.push(plan.map(({ detail }: { detail: string }) => detail))
    }
    const store = sqliteStore(() => ({
      exec: (text: string) => db.exec(text),
      close: () => db.close(),
      prepare(text: string) {
        const statement = db.prepare(text)
        return {
          run: (...parameters: unknown[]) => statement.run(parameters),
          all(...parameters: unknown[]) {
            explain(text, parameters)
            return statement.all(parameters)
          },
        }
      },
    }))
    await store.migrate()
    plans.length = 0
    await call(store as InboxStore)
    expect(plans).not.toEqual([])
    const scans = plans.flat().filter((step) => /^SCAN webhook_delivery$/u.test(step))
    expect(scans).toEqual([])
    await store.close()
  })
})
