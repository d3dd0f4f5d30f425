import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
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
import { deliveryAbout, drained, invoices, receive, survivor } from './programs/survivor.ts'

// The database fails in every way it has: what was acknowledged is booked, once, and what was not is
// answered 503, so that it is sent again.

const LATER_MS = 600_000
const ids = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}_${String(index).padStart(3, '0')}`)

describe.skipIf(!hasDrivers() || !hasPostgres())('PostgreSQL', () => {
  let server: PostgresServer
  let databases = 0
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.end())

  /** A shop with a database of its own. */
  async function newShop(): Promise<{ readonly at: string; readonly shop: Shop }> {
    const admin = await openShop({ driver: 'pg', at: server.url })
    const name = `shop_${databases++}`
    await admin.query(`create database ${name}`)
    await admin.end()
    const at = server.url.replace(/\/postgres$/u, `/${name}`)
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
      ['reply lost', ['fenced']],
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
        expect(signals.flatMap((it) => (it.kind === 'process' ? [it.outcome] : []))).toEqual(
          outcomes,
        )
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

describe.skipIf(!hasDrivers())('SQLite', () => {
  test.skipIf(!canMount())(
    'a full disk: 503 until there is room again, nothing acknowledged is lost, one booking each',
    async () => {
      await onSmallDisk((disk) =>
        expectRecovery({ driver: 'better-sqlite3', at: join(disk.folder, 'shop.db') }, disk),
      )
    },
  )
})

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
