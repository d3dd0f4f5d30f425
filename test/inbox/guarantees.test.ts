import { describe, expect, test } from 'vitest'
import type { InboxStore, MemoryTransaction } from '../../dist/inbox/index.js'
import {
  accepted,
  createDatabase,
  createProcess,
  gate,
  LEASE_MS,
  outcomes,
  settled,
} from './bench.ts'
import { type Fault, faultyStore } from './faulty-store.ts'

// The table of docs/inbox.md, row by row: a process that fails at one point, a sender that repeats
// what was not acknowledged, and another process on the same database.

interface Booking {
  readonly once: (name: string) => Promise<boolean>
  readonly key: (name: string) => string
}
type Store = InboxStore<MemoryTransaction, 'async'>

/** What happens to one delivery, and what came of it outside the process that fails. */
interface Point {
  readonly name: string
  readonly faults: readonly Fault[]
  /** Where the process dies in the functions of its owner. */
  readonly dies?: 'prepare' | 'apply'
  /** The answer that the sender gets from the first process; `undefined`: none. */
  readonly answer: number | undefined
  /** What is known of the delivery when the first process has done its worst. */
  readonly row: 'none' | 'due' | 'waiting' | 'settled'
  /** Of the sender's retry, to the second process. */
  readonly retry: number
  /** How often the foreign API was called, with one key. */
  readonly foreign: number
}

const POINTS: readonly Point[] = [
  {
    name: 'before the insert',
    faults: [{ operation: 'record', point: 'before', kind: 'dies' }],
    answer: undefined,
    row: 'none',
    retry: 202,
    foreign: 1,
  },
  {
    name: 'insert sent, and its outcome unknown: it was not done',
    faults: [{ operation: 'record', point: 'before', kind: 'throws' }],
    answer: 503,
    row: 'none',
    retry: 202,
    foreign: 1,
  },
  {
    name: 'insert sent, and its outcome unknown: it was done',
    faults: [{ operation: 'record', point: 'after', kind: 'throws' }],
    answer: 503,
    row: 'settled',
    retry: 200,
    foreign: 1,
  },
  {
    name: 'inserted, and the answer is not sent',
    faults: [{ operation: 'record', point: 'after', kind: 'dies' }],
    answer: undefined,
    row: 'due',
    retry: 200,
    foreign: 1,
  },
  {
    name: 'answered, and the process dies before the claim',
    faults: [{ operation: 'claim', point: 'before', kind: 'dies' }],
    answer: 202,
    row: 'due',
    retry: 200,
    foreign: 1,
  },
  {
    name: 'claimed, and the process dies',
    faults: [{ operation: 'claim', point: 'after', kind: 'dies' }],
    answer: 202,
    row: 'waiting',
    retry: 200,
    foreign: 1,
  },
  {
    name: 'in prepare, behind a call of a foreign API',
    faults: [],
    dies: 'prepare',
    answer: 202,
    row: 'waiting',
    retry: 200,
    foreign: 2,
  },
  {
    name: 'before the transaction of the booking',
    faults: [{ operation: 'settle', point: 'before', kind: 'dies' }],
    answer: 202,
    row: 'waiting',
    retry: 200,
    foreign: 2,
  },
  {
    name: 'in apply, before the commit',
    faults: [],
    dies: 'apply',
    answer: 202,
    row: 'waiting',
    retry: 200,
    foreign: 2,
  },
  {
    name: 'behind apply, before the commit',
    faults: [{ operation: 'settle', point: 'during', kind: 'dies' }],
    answer: 202,
    row: 'waiting',
    retry: 200,
    foreign: 2,
  },
  {
    name: 'commit sent, its reply lost: it was not done',
    faults: [{ operation: 'settle', point: 'during', kind: 'throws' }],
    answer: 202,
    row: 'due',
    retry: 200,
    foreign: 2,
  },
  {
    name: 'commit sent, its reply lost: it was done',
    faults: [{ operation: 'settle', point: 'after', kind: 'throws' }],
    answer: 202,
    row: 'settled',
    retry: 200,
    foreign: 1,
  },
  {
    name: 'behind the commit',
    faults: [{ operation: 'settle', point: 'after', kind: 'dies' }],
    answer: 202,
    row: 'settled',
    retry: 200,
    foreign: 1,
  },
  {
    name: 'a failure, and the row is not given back',
    faults: [
      { operation: 'settle', point: 'during', kind: 'throws' },
      { operation: 'giveBack', point: 'before', kind: 'throws' },
    ],
    answer: 202,
    row: 'waiting',
    retry: 200,
    foreign: 2,
  },
  {
    name: 'a failure, and the process dies before the row is given back',
    faults: [
      { operation: 'settle', point: 'during', kind: 'throws' },
      { operation: 'giveBack', point: 'before', kind: 'dies' },
    ],
    answer: 202,
    row: 'waiting',
    retry: 200,
    foreign: 2,
  },
]

/** One process's inbox: it calls a foreign API in `prepare`, and books in `apply`. */
function shop(store: Store, clock: () => number, world: World, death?: () => Promise<never>) {
  const handler = {
    prepare: async (_: unknown, { key }: Booking) => {
      world.foreign.push(key('label'))
      if (world.dies === 'prepare') await death?.()
    },
    apply: async (tx: MemoryTransaction, _: unknown, { once }: Booking) => {
      if (await once('fulfil')) {
        world.booked.push('inv_1')
        tx.onRollback(() => world.booked.pop())
      }
      if (world.dies === 'apply') await death?.()
    },
  }
  return createProcess({ clock, store }, { handlers: { 'invoice.paid': handler } })
}

interface World {
  readonly booked: string[]
  readonly foreign: string[]
  readonly dies: Point['dies']
}

describe('a process that fails', () => {
  test.each(POINTS.map((point) => [point.name, point] as const))('%s', async (_, point) => {
    const { time, clock, store } = createDatabase()
    const world: World = { booked: [], foreign: [], dies: point.dies }
    const delivery = await accepted()
    const mortal = faultyStore(store, point.faults)
    const first = shop(mortal, clock, world, () => {
      mortal.die()
      return gate<never>().opened
    })
    const answer = await Promise.race([first.inbox.receive(delivery), mortal.died])
    expect(answer?.status).toBe(point.answer)
    await Promise.race([first.inbox.drain({ maxEvents: 1 }), mortal.died])
    // What the database makes of a connection that broke.
    await settled()
    expect(await state(store)).toBe(point.row)

    const second = shop(store, clock, world)
    expect(await second.inbox.receive(delivery)).toMatchObject({ status: point.retry })
    await second.inbox.drain()
    time.now += LEASE_MS
    await second.inbox.drain()
    expect(world.booked).toEqual(['inv_1'])
    expect(await second.inbox.find({ outcome: 'done' })).toHaveLength(1)
    // Outside the transaction it may happen again, and with one key.
    expect(world.foreign).toHaveLength(point.foreign)
    expect(new Set(world.foreign).size).toBe(1)
    expect(await second.inbox.receive(delivery)).toMatchObject({ status: 200 })
  })

  test('has acknowledged nothing that is not there', async () => {
    const acknowledged = POINTS.filter(({ answer = 500 }) => answer < 300)
    expect(acknowledged.length).toBeGreaterThan(8)
    expect(acknowledged.filter(({ row }) => row === 'none')).toEqual([])
  })
})

test('a worker that outlives its lease may call foreign APIs, and books nothing', async () => {
  const { time, clock, store } = createDatabase()
  const world: World = { booked: [], foreign: [], dies: 'prepare' }
  const { opened, open } = gate<never>()
  const zombie = shop(store, clock, world, () => opened)
  await zombie.inbox.receive(await accepted())
  const drained = zombie.inbox.drain({ maxEvents: 1 })
  await settled()
  time.now += LEASE_MS
  const second = shop(store, clock, world)
  await second.inbox.drain()
  open(undefined as never)
  await drained
  expect([outcomes(zombie.signals), outcomes(second.signals)]).toEqual([['fenced'], ['done']])
  expect([world.booked, world.foreign]).toEqual([
    ['inv_1'],
    ['label:invoice:inv_1', 'label:invoice:inv_1'],
  ])
})

test('an id that was purged is a new delivery when it is resent, and the till still knows it', async () => {
  const { time, clock, store } = createDatabase()
  const world: World = { booked: [], foreign: [], dies: undefined }
  const { inbox } = shop(store, clock, world)
  const delivery = await accepted()
  await inbox.receive(delivery)
  await inbox.drain()
  time.now += 401 * 86_400_000
  expect(await inbox.purge()).toEqual({ redacted: 1, deleted: 1 })
  expect(await inbox.receive(delivery)).toMatchObject({ status: 202 })
  await inbox.drain()
  expect(world.booked).toEqual(['inv_1'])
})

test('one payment that comes through two endpoints is booked once', async () => {
  const { clock, store } = createDatabase()
  const world: World = { booked: [], foreign: [], dies: undefined }
  const { inbox } = shop(store, clock, world)
  for (const id of ['evt_a', 'evt_b']) {
    expect(await inbox.receive(await accepted({ id }))).toMatchObject({ status: 202 })
  }
  await inbox.drain()
  expect(world.booked).toEqual(['inv_1'])
})

async function state(store: Store): Promise<Point['row']> {
  const { due, waiting } = await store.stats()
  if (due + waiting > 0) return due > 0 ? 'due' : 'waiting'
  return (await store.find({})).length > 0 ? 'settled' : 'none'
}
