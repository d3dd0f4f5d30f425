import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Inbox, memoryStore } from '../../dist/inbox/index.js'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import { createTables, type Shop, type ShopSpec } from './programs/shop.js'
import { hasDrivers } from './programs/start.ts'
import { invoices, receive, survivor } from './programs/survivor.ts'

// What is stored goes when its time has come, and what has gone does no harm when it comes again.

const DAY_MS = 86_400_000

/** The shop as it is so many days on: its database has what was there before. */
type ShopAfter = (days: number) => Promise<{
  readonly inbox: Inbox
  readonly bookings: () => Promise<string[]>
  readonly end: () => Promise<void>
}>

async function expectRetention(after: ShopAfter): Promise<void> {
  const list = ['evt_1', 'evt_2']
  const bodies = async (inbox: Inbox) => (await inbox.find({})).map(({ body }) => typeof body)
  const ids = async (inbox: Inbox) => (await inbox.find({})).map(({ id }) => id).sort()

  const today = await after(0)
  for (const id of list) expect(await receive(today.inbox, id)).toBe(202)
  await today.inbox.drain()
  expect(await today.bookings()).toEqual(invoices(list))

  // Bodies are kept for 30 days, ids for 400.
  const early = await after(29)
  expect(await early.inbox.purge()).toEqual({ redacted: 0, deleted: 0 })
  expect(await bodies(early.inbox)).toEqual(['string', 'string'])

  const month = await after(31)
  expect(await month.inbox.purge()).toEqual({ redacted: 2, deleted: 0 })
  expect(await bodies(month.inbox)).toEqual(['undefined', 'undefined'])
  expect(await ids(month.inbox)).toEqual(list)
  expect(await receive(month.inbox, 'evt_1')).toBe(200)
  expect(await month.inbox.drain()).toBe(0)

  const almost = await after(399)
  expect(await almost.inbox.purge()).toEqual({ redacted: 0, deleted: 0 })
  expect(await receive(almost.inbox, 'evt_1')).toBe(200)

  const years = await after(401)
  expect(await years.inbox.purge()).toEqual({ redacted: 0, deleted: 2 })
  expect(await ids(years.inbox)).toEqual([])
  // A resend is a new delivery to the door. It is caught where it would be booked.
  expect(await receive(years.inbox, 'evt_1')).toBe(202)
  expect(await years.inbox.drain()).toBe(1)
  expect((await years.inbox.find({ id: 'evt_1' }))[0]?.outcome).toBe('done')
  expect(await years.bookings()).toEqual(invoices(list))
  for (const each of [today, early, month, almost, years]) await each.end()
}

function onDatabase(spec: ShopSpec): ShopAfter {
  return async (days) => {
    const aheadMs = days * DAY_MS
    const clock = () => Date.now() + aheadMs
    const { shop, inbox } = await survivor(
      { ...spec, aheadMs },
      { guarded: true, options: { clock } },
    )
    await createTables(shop)
    return { inbox, bookings: shop.bookings, end: shop.end }
  }
}

test('in memory', async () => {
  let now = Date.now()
  const clock = () => now
  const booked: string[] = []
  const shop = {
    store: memoryStore({ clock }),
    book: (_: unknown, invoice: string) => {
      booked.push(invoice)
    },
    bookings: async () => [...booked].sort(),
    end: async () => {},
  } as unknown as Shop
  const today = now
  await expectRetention(async (days) => {
    now = today + days * DAY_MS
    const { inbox } = await survivor(shop, { guarded: true, options: { clock } })
    return { inbox, bookings: shop.bookings, end: shop.end }
  })
})

test.skipIf(!hasDrivers())('on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookproof-retention-'))
  await expectRetention(onDatabase({ driver: 'better-sqlite3', at: join(folder, 'shop.db') }))
  rmSync(folder, { recursive: true })
})

test.skipIf(!hasDrivers() || !hasPostgres())('on PostgreSQL', async () => {
  const server = await startPostgres()
  await expectRetention(onDatabase({ driver: 'pg', at: server.url }))
  await server.end()
})
