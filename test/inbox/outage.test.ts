import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'
import { type Cut, type CuttingProxy, startCuttingProxy } from './programs/cutting-proxy.ts'
import { createTables, openShop, type Shop, type ShopSpec } from './programs/shop.js'
import { canMount, onSmallDisk, type SmallDisk } from './programs/small-disk.ts'
import {
  deliveryOf,
  hasDrivers,
  inWaves,
  pause,
  post,
  RECEIVES,
  withProcess,
} from './programs/start.ts'
import { deliveryAbout, drained, ids, invoices, receive, survivor } from './programs/survivor.ts'

// The database fails in every way it has: what was acknowledged is booked, once, and what was not is
// answered 503, so that it is sent again.

const LATER_MS = 600_000

describe.skipIf(!hasDrivers() || !hasPostgres())('PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.end())

  /** A shop with a database of its own. */
  async function newShop(): Promise<{ readonly at: string; readonly shop: Shop }> {
    const at = await server.createDatabase()
    const shop = await openShop({ driver: 'pg', at })
    await createTables(shop)
    return { at, shop }
  }

  describe.each(['pg', 'postgres'] as const)('behind a network that fails: %s', (driver) => {
    let proxy: CuttingProxy
    let shop: Shop
    let spec: ShopSpec
    beforeAll(async () => {
      const made = await newShop()
      shop = made.shop
      proxy = await startCuttingProxy(made.at)
      spec = { driver, at: proxy.url }
    })
    afterAll(async () => {
      await proxy?.end()
      await shop?.end()
    })

    /** Cuts so many connections at this statement, from now on. */
    const cut = (how: Cut, statement: string, count: number) => {
      let left = count
      proxy.cutAt = (sent) => (sent.includes(statement) && left-- > 0 ? how : undefined)
      return () => left
    }

    test.each([
      // The give-back touches nothing: the booking was committed, and is not repeated.
      ['reply lost', ['done']],
      ['statement lost', ['retry', 'done']],
    ] as const)('COMMIT of a booking, %s: one booking, twenty times', async (how, outcomes) => {
      const list = ids(`evt_${how.replace(' ', '_')}`, 20)
      const { inbox, signals, shop: own } = await survivor(spec)
      for (const id of list) {
        expect(await receive(inbox, id)).toBe(202)
        signals.length = 0
        // The first one behind the booking: nothing else is going on.
        let isBooked = false
        let isCut = false
        proxy.cutAt = (sent) => {
          isBooked ||= sent.includes('insert into booking')
          if (!isBooked || isCut || !/commit\0/iu.test(sent)) return undefined
          isCut = true
          return how
        }
        await drained(inbox, outcomes.length)
        expect(isCut).toBe(true)
        expect(outcomesOf(signals)).toEqual(outcomes)
      }
      expect(await inbox.stats()).toMatchObject({ due: 0, waiting: 0, dead: 0 })
      const booked = (await shop.bookings()).filter((invoice) => list.includes(invoice.slice(4)))
      expect(booked).toEqual(invoices(list))
      proxy.cutAt = () => undefined
      await own.end()
    })

    test.each([
      ['reply lost', 200],
      ['statement lost', 202],
    ] as const)(
      'the insert, %s: 503, and the delivery is there when it comes again',
      async (how, again) => {
        const list = ids(`evt_insert_${how.replace(' ', '_')}`, 20)
        const { inbox, shop: own } = await survivor(spec)
        for (const id of list) {
          // postgres.js commits what it inserted with a statement of its own.
          const left = cut(how, driver === 'pg' ? 'insert into webhook_delivery' : 'commit\0', 1)
          expect(await receive(inbox, id)).toBe(503)
          expect(left()).toBeLessThanOrEqual(0)
          proxy.cutAt = () => undefined
          expect(await receive(inbox, id)).toBe(again)
        }
        expect(await drained(inbox, list.length)).toBe(list.length)
        const booked = (await shop.bookings()).filter((invoice) => list.includes(invoice.slice(4)))
        expect(booked).toEqual(invoices(list))
        await own.end()
      },
    )
  })

  test.each([
    ['pg', [200, 202, 503]],
    // This driver may end its process when a connection breaks under it; a supervisor starts another.
    ['postgres', [0, 200, 202, 503]],
  ] as const)(
    'a server that crashes and comes back under load: nothing acknowledged is lost, one booking each: %s',
    async (driver, allowed) => {
      const { at, shop } = await newShop()
      const list = ids('evt_load', 200)
      const acknowledged = new Set<string>()
      const statuses: number[] = []
      const urls = ['', '']
      /** As a sender does: until it is acknowledged. */
      const send = async (id: string) => {
        for (let attempt = 0; !acknowledged.has(id); attempt++) {
          const [status] = await post(urls[attempt % 2] ?? '', deliveryAbout(id))
          statuses.push(status)
          if (status === 200 || status === 202) acknowledged.add(id)
          else await pause(20)
        }
      }
      const acknowledgedAre = async (count: number) => {
        while (acknowledged.size < count) await pause(2)
      }
      const spec = {
        ...{ shop: { driver, at }, receives: RECEIVES, works: true },
        options: { leaseMs: LATER_MS / 10, receiveBudgetMs: 1_000 },
      }
      let isDone = false
      const supervise = async (place: number) => {
        while (!isDone) {
          await withProcess(spec, async ({ url, isOver }) => {
            urls[place] = url
            while (!isDone && !isOver()) await pause(10)
          })
        }
      }
      const supervised = [supervise(0), supervise(1)]
      while (urls.includes('')) await pause(5)
      const sending = inWaves(list, 12, send)
      await acknowledgedAre(60)
      await server.restart()
      await acknowledgedAre(120)
      await server.stop()
      // What was under way is answered; connections are refused now.
      const known = acknowledged.size + 12
      const whileUp = statuses.length
      while (!statuses.slice(whileUp + 12).includes(503)) await pause(2)
      expect(acknowledged.size).toBeLessThanOrEqual(known)
      await server.start()
      await sending
      isDone = true
      await Promise.all(supervised)

      const others = statuses.filter((status) => !(allowed as readonly number[]).includes(status))
      expect(others).toEqual([])
      const rows = await shop.query('select event_id from webhook_delivery order by event_id')
      expect(rows.map(({ event_id }) => event_id)).toEqual(list)
      // What was under way at the crash is due again after its lease.
      const later = await survivor({ driver: 'pg', at, aheadMs: LATER_MS })
      await later.inbox.drain()
      expect(await later.inbox.stats()).toMatchObject({ due: 0, waiting: 0, dead: 0 })
      expect(await shop.bookings()).toEqual(invoices(list))
      await later.shop.end()
      await shop.end()
    },
  )

  test('an apply that never ends: its transaction is rolled back, its connection destroyed; one booking', async () => {
    const { at, shop } = await newShop()
    const own = await openShop({ driver: 'pg', at, connections: 1 })
    let abandoned: { query(text: string): Promise<unknown> } | undefined
    const handler = {
      async apply(tx: typeof abandoned, _event: never, { attempt }: { attempt: number }) {
        await own.book(tx, 'inv_evt_hung', 'evt_hung')
        if (attempt > 1) return
        abandoned = tx
        await new Promise(() => {})
      },
    }
    const options = { attemptMs: 100, handlers: { 'invoice.paid': handler } }
    const { inbox, signals } = await survivor(own, { options })
    expect(await receive(inbox, 'evt_hung')).toBe(202)
    await drained(inbox, 2)
    expect(outcomesOf(signals)).toEqual(['retry', 'done'])
    expect(await shop.bookings()).toEqual(invoices(['evt_hung']))
    await expect(abandoned?.query('select 1')).rejects.toThrow()
    expect(await shop.query(OPEN_TRANSACTIONS)).toEqual([])
    for (const each of [own, shop]) await each.end()
  })

  test('an apply that waits for a lock for too long: its row is free before the lock is; one booking', async () => {
    const { at, shop } = await newShop()
    const holder = await openShop({ driver: 'pg', at, connections: 1 })
    await holder.query('begin')
    await holder.query('lock table booking')
    const signals: { kind: string; outcome?: string }[] = []
    let held: unknown
    const onSignal = async (signal: (typeof signals)[number]) => {
      signals.push(signal)
      if (signal.outcome !== 'retry') return
      held = await shop.query(HELD_LOCKS)
      await holder.query('rollback')
    }
    const options = { attemptMs: 500, onSignal }
    const { inbox, shop: own } = await survivor({ driver: 'pg', at, connections: 2 }, { options })
    expect(await receive(inbox, 'evt_locked')).toBe(202)
    await drained(inbox, 2)
    expect(outcomesOf(signals)).toEqual(['retry', 'done'])
    expect(held).toHaveLength(1)
    expect(await shop.bookings()).toEqual(invoices(['evt_locked']))
    for (const each of [holder, own, shop]) await each.end()
  })

  test('a server slower than the budget: 503, and what it recorded all the same is a duplicate later', async () => {
    const { at, shop } = await newShop()
    const { inbox, shop: own } = await survivor(
      { driver: 'pg', at },
      { options: { receiveBudgetMs: 50 } },
    )
    // One connection, so that all of it is one transaction.
    const holder = await openShop({ driver: 'pg', at, connections: 1 })
    await holder.query('begin')
    await holder.query('lock table webhook_delivery')
    expect(await receive(inbox, 'evt_slow')).toBe(503)
    await holder.query('rollback')
    expect(await drained(inbox, 1)).toBe(1)
    const patient = await survivor({ driver: 'pg', at })
    expect(await receive(patient.inbox, 'evt_slow')).toBe(200)
    expect(await shop.bookings()).toEqual(invoices(['evt_slow']))
    for (const each of [holder, own, shop, patient.shop]) await each.end()
  })

  test.skipIf(!canMount())(
    'a full disk: 503 until there is room again, nothing acknowledged is lost, one booking each',
    async () => {
      await onSmallDisk(async (disk) => {
        execFileSync('chown', ['postgres', disk.folder])
        const admin = await openShop({ driver: 'pg', at: server.url })
        await admin.query(`create tablespace small location '${disk.folder}'`)
        await admin.query('create database full_disk')
        const at = server.url.replace(/\/postgres$/u, '/full_disk')
        const spec: ShopSpec = { driver: 'pg', at, settings: { default_tablespace: 'small' } }
        await expectRecovery(spec, disk)
        await admin.query('drop database full_disk')
        await admin.query('drop tablespace small')
        await admin.end()
      })
    },
  )
})

test.skipIf(!hasDrivers() || !hasPostgres())(
  'a database that loses what it said was committed: check() warns of it, and reconcile() finds what is gone',
  async () => {
    const server = await startPostgres('-c synchronous_commit=off', '-c wal_writer_delay=10s')
    const spec: ShopSpec = { driver: 'pg', at: server.url }
    const { inbox, shop } = await survivor(spec, { guarded: true })
    await createTables(shop)
    const warnings = (await inbox.check()).map(({ what }) => what)
    expect(warnings).toEqual([expect.stringMatching(/^synchronous_commit is off/u)])
    await shop.query('checkpoint')
    const list = ids('evt_lost', 20)
    for (const id of list) expect(await receive(inbox, id)).toBe(202)
    await server.restart()

    const rows = await shop.query('select resource_id as id from webhook_delivery order by 1')
    const kept = rows.map(({ id }) => id)
    const gone = invoices(list).filter((id) => !kept.includes(id))
    expect(gone).not.toEqual([])
    await inbox.drain()
    const resources = invoices(list).map((id) => ({ kind: 'invoice', id }))
    const { checked, found } = await inbox.reconcile({ resources, once: 'fulfil' })
    expect(checked).toBe(list.length)
    expect(found.map(({ kind, resource }) => [kind, resource.id])).toEqual(
      gone.map((id) => ['missing', id]),
    )
    await shop.end()
    await server.end()
  },
)

describe.skipIf(!hasDrivers())('SQLite', () => {
  test('a file that another process keeps locked: 503, and nothing is recorded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookproof-outage-'))
    const spec: ShopSpec = { driver: 'better-sqlite3', at: join(folder, 'shop.db') }
    const { inbox, shop } = await survivor(spec)
    await createTables(shop)
    expect(await receive(inbox, 'evt_1')).toBe(202)
    await withProcess({ shop: spec, works: true, stopAt: 'in apply' }, async ({ says, kill }) => {
      await says(/^at in apply$/mu)
      expect(await receive(inbox, 'evt_2')).toBe(503)
      expect(await inbox.find({ id: 'evt_2' })).toEqual([])
      await kill()
    })
    expect(await receive(inbox, 'evt_2')).toBe(202)
    expect(await inbox.drain()).toBe(1)
    expect(await shop.bookings()).toEqual(invoices(['evt_2']))
    await shop.end()
    rmSync(folder, { recursive: true })
  })

  test.skipIf(!canMount())(
    'a full disk: 503 until there is room again, nothing acknowledged is lost, one booking each',
    async () => {
      await onSmallDisk((disk) =>
        expectRecovery({ driver: 'better-sqlite3', at: join(disk.folder, 'shop.db') }, disk),
      )
    },
  )
})

function outcomesOf(signals: readonly { kind: string; outcome?: string }[]) {
  return signals.flatMap(({ kind, outcome }) => (kind === 'process' ? [outcome] : []))
}

const HELD_LOCKS = `select mode from pg_locks
  where relation = 'booking'::regclass and mode = 'AccessExclusiveLock' and granted`
const OPEN_TRANSACTIONS = `select query from pg_stat_activity
  where datname = current_database() and state like 'idle in transaction%'`

/** The tables are on that disk. */
async function expectRecovery(spec: ShopSpec, disk: SmallDisk): Promise<void> {
  const { inbox, shop } = await survivor(spec)
  await createTables(shop)
  const sent = ids('evt_disk', 500).map((id) => {
    // Random, so that it is not stored any smaller.
    const note = randomBytes(4096).toString('base64')
    return { id, delivery: deliveryOf(id, `inv_${id}`, { data: { note } }) }
  })
  const acknowledged: string[] = []
  const refused: typeof sent = []
  const statuses = new Set<number>()
  const attempt = async (item: (typeof sent)[number]) => {
    const status = await receive(inbox, item.delivery)
    statuses.add(status)
    if (status === 202) acknowledged.push(item.id)
    else refused.push(item)
  }
  for (const item of sent.splice(0, 5)) await attempt(item)
  expect(await inbox.drain()).toBe(5)
  disk.fill()
  // A page or two may have room left.
  while (refused.length < 20 && sent.length > 0) {
    for (const item of sent.splice(0, 1)) await attempt(item)
  }
  expect(refused).toHaveLength(20)
  // A booking needs room as well; one that finds none is tried again.
  await inbox.drain({ maxEvents: 20 }).catch(() => {})
  disk.free()
  for (const item of refused.splice(0, 20)) await attempt(item)
  expect(refused).toEqual([])
  expect([...statuses].sort()).toEqual([202, 503])
  const later = await survivor({ ...spec, aheadMs: LATER_MS })
  await later.inbox.drain()
  expect(await later.inbox.stats()).toMatchObject({ due: 0, waiting: 0, dead: 0 })
  expect(await shop.bookings()).toEqual(invoices(acknowledged))
  await later.shop.end()
  await shop.end()
}
