import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'
import { createTables, type Shop, type ShopSpec } from './programs/shop.js'
import { hasDrivers, inWaves, post, RECEIVES, withProcess } from './programs/start.ts'
import {
  deliveryAbout,
  drained,
  invoices,
  receive,
  type Survivor,
  survivor,
} from './programs/survivor.ts'

// A process is killed from outside at each point of a delivery's way, twenty times each. Bookings are
// guarded by nothing but the inbox, so that each repeat of one would show.

const TIMES = 20
const LEASE_MS = 60_000
/** Beyond each lease and each backoff. */
const LATER_MS = 10 * LEASE_MS
const MAX_CLAIMS = 3

const ids = (prefix: string, count = TIMES) =>
  Array.from({ length: count }, (_, index) => `${prefix}_${String(index).padStart(2, '0')}`)

interface Row {
  readonly stopAt: string
  /** What the sender is answered when it sends the delivery again. */
  readonly again: readonly number[]
}

const RECEIVER_ROWS: readonly Row[] = [
  { stopAt: 'before the insert', again: [202] },
  { stopAt: 'insert sent', again: [200, 202] },
  { stopAt: 'inserted', again: [200] },
  { stopAt: 'answered', again: [200] },
]

const WORKER_ROWS = ['claimed', 'in prepare', 'in apply', 'settled', 'before the give-back']

function crashes(specOf: () => ShopSpec, widthAt: (stopAt: string) => number): void {
  let shop: Shop
  let now: Survivor
  let later: Survivor
  beforeAll(async () => {
    now = await survivor(specOf())
    later = await survivor({ ...specOf(), aheadMs: LATER_MS })
    shop = now.shop
    await createTables(shop)
  })
  afterAll(async () => {
    await now?.shop.end()
    await later?.shop.end()
  })

  /** What is booked, of these alone. */
  const bookedOf = async (list: readonly string[]) => {
    const all = new Set(invoices(list))
    return (await shop.bookings()).filter((invoice) => all.has(invoice))
  }

  test.each(RECEIVER_ROWS)(
    `a receiver killed ${TIMES} times, $stopAt: nothing acknowledged is lost, one booking each`,
    async ({ stopAt, again }) => {
      const list = ids(`evt_${stopAt.replaceAll(' ', '_')}`)
      const spec = { shop: specOf(), receives: RECEIVES, stopAt }
      await inWaves(list, widthAt(stopAt), (id) =>
        withProcess(spec, async ({ url, says, kill }) => {
          const answer = post(url, deliveryAbout(id))
          await says(new RegExp(`^at ${stopAt}$`, 'mu'))
          if (stopAt === 'answered') expect(await answer).toEqual([202, { received: true }])
          await kill()
          if (stopAt !== 'answered') expect(await answer).toEqual([0, undefined])
        }),
      )
      const statuses = new Set<number>()
      for (const id of list) statuses.add(await receive(now.inbox, id))
      expect([...statuses].filter((status) => !again.includes(status))).toEqual([])
      expect(await drained(now.inbox, TIMES)).toBe(TIMES)
      expect(await bookedOf(list)).toEqual(invoices(list))
    },
  )

  test.each(WORKER_ROWS)(
    `a worker killed ${TIMES} times, %s: one booking each, after the lease`,
    async (stopAt) => {
      const list = ids(`evt_${stopAt.replaceAll(' ', '_')}`)
      for (const id of list) expect(await receive(now.inbox, id)).toBe(202)
      const spec = {
        ...{ shop: specOf(), works: true, stopAt, fails: stopAt === 'before the give-back' },
        options: { leaseMs: LEASE_MS, concurrency: 1 },
      }
      await inWaves(list, widthAt(stopAt), () =>
        withProcess(spec, async ({ says, kill }) => {
          await says(new RegExp(`^at ${stopAt}$`, 'mu'))
          await kill()
        }),
      )
      const isSettled = stopAt === 'settled'
      expect(await bookedOf(list)).toEqual(isSettled ? invoices(list) : [])
      // Under their leases they are nobody's yet.
      expect(await now.inbox.drain()).toBe(0)
      const left = isSettled ? 0 : TIMES
      expect(await drained(later.inbox, left)).toBe(left)
      expect(await bookedOf(list)).toEqual(invoices(list))
      expect(await later.inbox.stats()).toMatchObject({ due: 0, waiting: 0, dead: 0 })
      // The sender hears of none of it.
      for (const id of list) expect(await receive(now.inbox, id)).toBe(200)
    },
  )

  test(`${TIMES} events that kill their process end in the dead letter, and are booked once after a repair`, async () => {
    const list = ids('evt_poison')
    const first = await survivor(specOf(), { options: { maxClaims: MAX_CLAIMS } })
    for (const id of list) await receive(first.inbox, id)
    await first.shop.end()
    const spec = (aheadMs: number) => ({
      ...{ shop: { ...specOf(), aheadMs }, works: true, stopAt: 'in apply' },
      options: { leaseMs: LEASE_MS, concurrency: 1 },
    })
    for (let claims = 1; claims <= MAX_CLAIMS; claims++) {
      await inWaves(list, widthAt('in apply'), () =>
        withProcess(spec(claims * LATER_MS), async ({ says, kill }) => {
          await says(/^at in apply$/mu)
          await kill()
        }),
      )
    }
    const last = await survivor({ ...specOf(), aheadMs: (MAX_CLAIMS + 1) * LATER_MS })
    expect(await drained(last.inbox, TIMES)).toBe(TIMES)
    expect(await bookedOf(list)).toEqual([])
    const dead = await last.inbox.find({ outcome: 'dead' })
    expect(dead.map(({ id }) => id).sort()).toEqual(list)
    expect(new Set(dead.map(({ lastError }) => lastError))).toEqual(
      new Set([`Error: began ${MAX_CLAIMS} times and never ended`]),
    )
    expect(await last.inbox.redrive()).toBe(TIMES)
    expect(await last.inbox.drain()).toBe(TIMES)
    expect(await bookedOf(list)).toEqual(invoices(list))
    await last.shop.end()
  })

  test(`${TIMES} workers' claims that outlive their lease are fenced: the heir's booking is the only one`, async () => {
    const list = ids('evt_zombie')
    for (const id of list) await receive(now.inbox, id)
    await withProcess(zombie(specOf(), 'in prepare'), async ({ says, resume }) => {
      await says(times('at in prepare'))
      expect(await drained(later.inbox, TIMES)).toBe(TIMES)
      resume()
      await says(times('fenced evt_zombie_\\d+'))
    })
    expect(await bookedOf(list)).toEqual(invoices(list))
  })
}

/** A worker with all of them at once, which lives on where others would be dead. */
function zombie(shop: ShopSpec, stopAt: string) {
  return {
    ...{ shop: { ...shop, connections: TIMES + 2 }, works: true, stopAt, resumes: true },
    options: { leaseMs: LEASE_MS, concurrency: TIMES },
  }
}

/** The line, so many times. */
function times(line: string): RegExp {
  return new RegExp(`(?:^${line}$[^]*){${TIMES}}`, 'mu')
}

describe.skipIf(!hasDrivers() || !hasPostgres())('PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.end())
  const specOf = (): ShopSpec => ({ driver: 'pg', at: server.url })

  crashes(specOf, () => 3)

  test(`${TIMES} rows whose booking is not committed yet are nobody else's, though their lease is over`, async () => {
    const list = ids('evt_slow')
    const now = await survivor(specOf())
    const later = await survivor({ ...specOf(), aheadMs: LATER_MS })
    for (const id of list) await receive(now.inbox, id)
    await withProcess(zombie(specOf(), 'in apply'), async ({ says, resume }) => {
      await says(times('at in apply'))
      expect(await later.inbox.drain()).toBe(0)
      resume()
      await says(times('done evt_slow_\\d+'))
    })
    const booked = (await now.shop.bookings()).filter((invoice) => invoice.includes('slow'))
    expect(booked).toEqual(invoices(list))
    await now.shop.end()
    await later.shop.end()
  })
})

describe.skipIf(!hasDrivers())('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookproof-crash-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  // A process that stops in a transaction keeps every other from writing.
  const widthAt = (stopAt: string) => (stopAt === 'in apply' ? 1 : 3)
  crashes(() => ({ driver: 'better-sqlite3', at: join(folder, 'shop.db') }), widthAt)
})
