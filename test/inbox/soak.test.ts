import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createInbox, type Inbox, type InboxSignal, memoryStore } from '../../dist/inbox/index.js'
import { createVerifier } from '../../dist/index.js'
import { NOW, SECRET } from '../fixtures.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import { chain, createTables, openShop, type Shop } from './programs/shop.js'
import { deliveryOf, hasDrivers, inWaves, pause } from './programs/start.ts'

// 10,000 deliveries in any order: each event to two endpoints, three copies of each, with
// reorganisations of the chain, advisories behind the confirmation, late payments and handlers that
// fail one time in twenty. Each invoice is booked once, and its last state is kept.

const SEED = Number(process.env.HOOKPROOF_SEED ?? 20261130)
const DELIVERIES = 10_000
const ENDPOINTS = 2
const COPIES = 3

/** A generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Step {
  readonly type: string
  readonly status: string
  /** Seconds behind the first step. */
  readonly at: number
}

const step = (type: string, at: number, status = type.replace(/^.*\./u, '')): Step => ({
  ...{ type, status, at },
})
const DEPOSIT = 'payment_channel.deposit'

interface Life {
  readonly kind: 'invoice' | 'payment_channel_deposit'
  readonly steps: readonly Step[]
  readonly isBooked: boolean
  /** What is true of it in the end, by the provider's own account of each status. */
  readonly last: { readonly status: string; readonly at: number; readonly isFinal: boolean }
}

const LIVES: readonly Life[] = [
  {
    kind: 'invoice',
    steps: [
      step('invoice.awaiting_payment', 0),
      step('invoice.confirming', 60),
      step('invoice.paid', 120),
    ],
    isBooked: true,
    last: { status: 'paid', at: 120, isFinal: true },
  },
  {
    // A reorganisation takes the payment back; in the end two events fall into one second.
    kind: 'invoice',
    steps: [
      step('invoice.awaiting_payment', 0),
      step('invoice.confirming', 60),
      step('invoice.awaiting_payment', 90),
      step('invoice.confirming', 120),
      step('invoice.paid_over', 120),
    ],
    isBooked: true,
    last: { status: 'paid_over', at: 120, isFinal: true },
  },
  {
    kind: 'invoice',
    steps: [
      step('invoice.confirming', 10),
      step('invoice.awaiting_payment', 20),
      step('invoice.confirming', 30),
    ],
    isBooked: false,
    last: { status: 'confirming', at: 30, isFinal: false },
  },
  {
    // Paid after it had expired.
    kind: 'invoice',
    steps: [
      step('invoice.awaiting_payment', 0),
      step('invoice.expired', 60),
      step('invoice.paid', 90),
    ],
    isBooked: true,
    last: { status: 'paid', at: 90, isFinal: true },
  },
  {
    // Advisories may come behind the confirmation.
    kind: 'payment_channel_deposit',
    steps: [
      step(`${DEPOSIT}.confirming`, 0),
      step(`${DEPOSIT}.reorged`, 30),
      step(`${DEPOSIT}.confirmed`, 60),
      step(`${DEPOSIT}.confirming`, 90),
    ],
    isBooked: true,
    last: { status: 'confirmed', at: 60, isFinal: true },
  },
]

interface Subject {
  readonly id: string
  readonly life: Life
}

const BOOKING_TYPES = ['invoice.paid', 'invoice.paid_over', `${DEPOSIT}.confirmed`]

/** Lives one after the other until there are enough deliveries of them, in any order. */
function scenario(random: () => number) {
  const subjects: Subject[] = []
  const deliveries: ReturnType<typeof deliveryOf>[] = []
  while (deliveries.length < DELIVERIES) {
    const number = subjects.length
    const life = LIVES[number % LIVES.length] as Life
    const id = `${life.kind === 'invoice' ? 'inv' : 'pcd'}_${String(number).padStart(4, '0')}`
    subjects.push({ id, life })
    for (const [index, { type, status, at }] of life.steps.entries()) {
      const isFinal = /paid|paid_over|expired|confirmed/u.test(status)
      const named = life.kind === 'invoice' ? {} : { id }
      for (let endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
        const parts = {
          ...{ type, occurredAt: NOW + at },
          data: { ...named, status, is_final: isFinal },
        }
        const delivery = deliveryOf(`evt_${id}_${index}_${endpoint}`, id, parts)
        for (let copy = 0; copy < COPIES; copy++) deliveries.push(delivery)
      }
    }
  }
  for (let last = deliveries.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const [a, b] = [deliveries[last], deliveries[other]]
    Object.assign(deliveries, { [last]: b, [other]: a })
  }
  return { subjects, deliveries }
}

const verifier = createVerifier({ secret: SECRET, now: () => NOW })

/** Gives an event's outcome, books what is to be booked, and fails one time in twenty. */
function handlerOf(shop: Pick<Shop, 'book'>, random: () => number) {
  return {
    apply: (tx: unknown, event: { event_type: string }, context: HandlerContext) =>
      chain(context.advance(), (answer: string) =>
        chain(BOOKING_TYPES.includes(event.event_type) && context.once('fulfil'), (isFirst) => {
          const { id, resource } = context.delivery
          return chain(isFirst ? shop.book(tx, resource.id, id) : undefined, () => {
            if (random() < 0.05) throw new Error('out of stock')
            return answer === 'stale' ? 'stale' : 'done'
          })
        }),
      ),
  }
}

interface HandlerContext {
  readonly delivery: { readonly id: string; readonly resource: { readonly id: string } }
  readonly advance: () => unknown
  readonly once: (name: string) => unknown
}

async function soak(shop: Pick<Shop, 'store' | 'book' | 'bookings'>, workers: number) {
  const random = randomOf(SEED)
  const { subjects, deliveries } = scenario(random)
  const signals: InboxSignal[] = []
  const inboxes = Array.from({ length: workers }, () => {
    const inbox = createInbox({
      store: shop.store,
      handlers: { default: handlerOf(shop, random) },
      backoff: () => random() * 20,
      pollMs: 10,
      onSignal: (signal: InboxSignal) => signals.push(signal),
    } as never) as Inbox
    inbox.start()
    return inbox
  })
  const counts = { recorded: 0, duplicate: 0 }
  let next = 0
  await inWaves(deliveries, 24, async (delivery) => {
    const verdict = await verifier.verify(delivery)
    if (!verdict.ok) throw new Error(verdict.detail)
    const { outcome } = await (inboxes[next++ % workers] as Inbox).receive(verdict)
    counts[outcome as keyof typeof counts]++
  })
  expect(deliveries.length).toBeGreaterThanOrEqual(DELIVERIES)
  const unique = deliveries.length / COPIES
  expect(counts).toEqual({ recorded: unique, duplicate: deliveries.length - unique })

  const [inbox] = inboxes as [Inbox]
  for (;;) {
    const { due, waiting } = await inbox.stats()
    if (due + waiting === 0) break
    await pause(20)
  }
  for (const each of inboxes) expect(await each.stop()).toBe(true)
  const ends = signals.flatMap((signal) => (signal.kind === 'process' ? [signal.outcome] : []))
  expect(ends.filter((end) => end === 'done' || end === 'stale')).toHaveLength(unique)
  expect(ends.filter((end) => end === 'retry').length).toBeGreaterThan(unique / 100)
  expect((await inbox.stats()).dead).toBe(0)

  const booked = subjects.filter(({ life }) => life.isBooked).map(({ id }) => id)
  expect(await shop.bookings()).toEqual(booked.sort())
  expect(await wrongStates(shop, subjects)).toEqual([])
}

/** Those whose stored state is not the last one: no state of that time is new to any other. */
async function wrongStates({ store }: Pick<Shop, 'store'>, subjects: readonly Subject[]) {
  const probe = { id: 'evt_probe', type: 'probe', bodySha256: '', claimLimit: 1 }
  await store.record(probe)
  const [claim] = await store.claim({ limit: 1, leaseMs: 60_000, id: probe.id })
  const wrong: unknown[] = []
  const ask = (tx: unknown, { id, life }: Subject) =>
    chain(
      store.advance(tx, {
        ...{ kind: life.kind, id, status: life.last.status, isFinal: life.last.isFinal },
        ...{ occurredAt: NOW + life.last.at, rank: -1, deliveryId: probe.id },
      }),
      (answer: string) => {
        if (answer !== 'stale') wrong.push({ id, ...life.last, answer })
      },
    )
  const all = (tx: unknown, index = 0): unknown =>
    index === subjects.length
      ? 'done'
      : chain(ask(tx, subjects[index] as Subject), () => all(tx, index + 1))
  await store.settle(claim, (tx: unknown) => all(tx))
  return wrong
}

test('in memory', async () => {
  const booked: string[] = []
  const book = (tx: { onRollback: (undo: () => void) => void }, id: string) => {
    booked.push(id)
    tx.onRollback(() => booked.splice(booked.indexOf(id), 1))
  }
  await soak({ store: memoryStore(), book, bookings: async () => [...booked].sort() }, 1)
})

// Nothing crashes here, so that nothing needs to wait for a disk.
const MEMORY = '/dev/shm'

test.skipIf(!hasDrivers())('on SQLite', async () => {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'hookproof-soak-'))
  const shop = await openShop({ driver: 'better-sqlite3', at: join(folder, 'shop.db') })
  await createTables(shop)
  await soak(shop, 2)
  await shop.end()
  rmSync(folder, { recursive: true })
})

test.skipIf(!hasDrivers() || !hasPostgres())('on PostgreSQL', async () => {
  const server = await startPostgres('-c fsync=off')
  const shop = await openShop({ driver: 'pg', at: server.url, connections: 12 })
  await createTables(shop)
  await soak(shop, 2)
  await shop.end()
  await server.end()
})
