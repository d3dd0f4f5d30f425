import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { leftOut } from '../requirements.ts'
import { hasPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'
import { createTables, openShop, type Shop, type ShopSpec } from './programs/shop.js'
import {
  deliveryOf,
  hasDrivers,
  type Process,
  pause,
  post,
  RECEIVES,
  withProcess,
} from './programs/start.ts'

// Receivers of several processes on one database get the same deliveries at the same time, over
// sockets. Bookings are guarded by nothing but the inbox.

const COPIES = [3, 16, 64]
const ROUNDS = 8

interface Member {
  readonly spec: ShopSpec
  readonly runtime?: string
}

/** Runs a process for each of these, all of which receive and work. */
async function withProcesses(
  [member, ...more]: readonly Member[],
  use: (processes: readonly Process[]) => Promise<void>,
  running: readonly Process[] = [],
): Promise<void> {
  if (member === undefined) return use(running)
  const spec = { shop: member.spec, receives: RECEIVES, works: true }
  return withProcess(
    spec,
    (started) => withProcesses(more, use, [...running, started]),
    member.runtime,
  )
}

/** Sends copies of one delivery to all processes at once, and gives how often each answer came. */
async function sendCopies(processes: readonly Process[], copies: number, id: string) {
  const delivery = deliveryOf(id, `inv_${id}`)
  const answers = await Promise.all(
    Array.from({ length: copies }, (_, i) =>
      post(processes[i % processes.length]?.url ?? '', delivery),
    ),
  )
  const counts: Record<string, number> = {}
  for (const answer of answers) {
    counts[JSON.stringify(answer)] = (counts[JSON.stringify(answer)] ?? 0) + 1
  }
  return counts
}

const RECORDED = JSON.stringify([202, { received: true }])
const DUPLICATE = JSON.stringify([200, { received: true, duplicate: true }])

async function idle({ store }: Shop): Promise<void> {
  for (;;) {
    const { due, waiting } = await store.stats()
    if (due + waiting === 0) return
    await pause(10)
  }
}

async function expectOneEach(shop: Shop, members: readonly Member[]): Promise<void> {
  await withProcesses(members, async (processes) => {
    for (const copies of COPIES) {
      for (let round = 0; round < ROUNDS; round++) {
        const counts = await sendCopies(processes, copies, `evt_${copies}_${round}`)
        expect(counts).toEqual({ [RECORDED]: 1, [DUPLICATE]: copies - 1 })
      }
    }
    await idle(shop)
  })
  const sent = COPIES.flatMap((copies) =>
    Array.from({ length: ROUNDS }, (_, round) => `inv_evt_${copies}_${round}`),
  )
  expect(await shop.bookings()).toEqual(sent.sort())
  const rows = await shop.query("select event_id from webhook_delivery where outcome = 'done'")
  expect(rows).toHaveLength(sent.length)
}

describe.skipIf(!hasDrivers() || !hasPostgres())('PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.end())

  /** A database of its own, at the isolation that connections have unless they ask for another. */
  async function databaseOf(name: string): Promise<string> {
    const admin = await openShop({ driver: 'pg', at: server.url })
    await admin.query(`create database ${name}`)
    await admin.end()
    return server.url.replace(/\/postgres$/u, `/${name}`)
  }

  test.each(['read committed', 'repeatable read', 'serializable'])(
    'of 3, 16 and 64 copies at three processes, one is recorded, and booked once: %s',
    async (isolation) => {
      const at = await databaseOf(isolation.replace(' ', '_'))
      const settings = { default_transaction_isolation: isolation }
      const spec = (driver: 'pg' | 'postgres'): ShopSpec => ({
        ...{ driver, at, settings, connections: 12 },
      })
      const shop = await openShop(spec('pg'))
      await createTables(shop)
      expect(await shop.query('show default_transaction_isolation')).toEqual([settings])
      await expectOneEach(shop, [
        { spec: spec('pg') },
        { spec: spec('postgres') },
        { spec: spec('pg') },
      ])
      await shop.end()
    },
  )

  test('three identical deliveries, one after the other, change the database once', async () => {
    const spec: ShopSpec = { driver: 'pg', at: await databaseOf('thrice') }
    const shop = await openShop(spec)
    await createTables(shop)
    // The transaction that wrote a row last is part of what is compared.
    const contents = async () => [
      ...(await shop.query('select xmin, * from webhook_delivery')),
      ...(await shop.query('select xmin, * from booking')),
    ]
    const delivery = deliveryOf('evt_1', 'inv_1')
    await withProcesses([{ spec }, { spec }], async ([one, other]) => {
      expect(await post(one?.url ?? '', delivery)).toEqual([202, { received: true }])
      await idle(shop)
      const before = await contents()
      expect(before).toHaveLength(2)
      for (const { url } of [one, other] as Process[]) {
        expect(await post(url, delivery)).toEqual([200, { received: true, duplicate: true }])
      }
      await idle(shop)
      expect(await contents()).toEqual(before)
    })
    await shop.end()
  })
})

describe.skipIf(!hasDrivers())('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookproof-processes-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const runtimes = fileURLToPath(new URL('../runtimes/node_modules/', import.meta.url))
  const node22 = `${runtimes}node22/bin/node`
  const bun = `${runtimes}@oven/bun-linux-x64/bin/bun`

  test.skipIf(leftOut([node22, bun].filter((path) => !existsSync(path))))(
    'of 3, 16 and 64 copies at three processes on one file, each with another driver, one is recorded, and booked once',
    async () => {
      const at = join(folder, 'drivers.db')
      const shop = await openShop({ driver: 'better-sqlite3', at })
      await createTables(shop)
      await expectOneEach(shop, [
        { spec: { driver: 'better-sqlite3', at } },
        { spec: { driver: 'node:sqlite', at }, runtime: node22 },
        { spec: { driver: 'bun:sqlite', at }, runtime: bun },
      ])
      await shop.end()
    },
  )

  test('three identical deliveries, one after the other, change the file once', async () => {
    const spec: ShopSpec = { driver: 'better-sqlite3', at: join(folder, 'thrice.db') }
    const shop = await openShop(spec)
    await createTables(shop)
    const contents = async () => [
      // It counts the changes that other connections have made to the file.
      ...(await shop.query('pragma data_version')),
      ...(await shop.query('select * from webhook_delivery')),
      ...(await shop.query('select * from booking')),
    ]
    const delivery = deliveryOf('evt_1', 'inv_1')
    await withProcesses([{ spec }], async ([one]) => {
      expect(await post(one?.url ?? '', delivery)).toEqual([202, { received: true }])
      await idle(shop)
      const before = await contents()
      expect(before).toHaveLength(3)
      for (let time = 0; time < 2; time++) {
        const again = await post(one?.url ?? '', delivery)
        expect(again).toEqual([200, { received: true, duplicate: true }])
      }
      await idle(shop)
      expect(await contents()).toEqual(before)
    })
    await shop.end()
  })
})
