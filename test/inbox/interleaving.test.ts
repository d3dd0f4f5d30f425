import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MemoryTransaction } from '../../dist/inbox/index.js'
import { accepted, createDatabase, createProcess, LEASE_MS, NOW, settled } from './bench.ts'
import { type Fault, faultyStore } from './faulty-store.ts'

/** A payment's life: the deliveries of two endpoints, each three times, in any order. */
const LIFE = [
  ['invoice.awaiting_payment', 0],
  ['invoice.confirming', 1],
  ['invoice.awaiting_payment', 2],
  ['invoice.confirming', 3],
  ['invoice.paid', 4],
  // Advisory, and late.
  ['invoice.confirming', 5],
] as const
const DELIVERIES = LIFE.flatMap(([type, second]) =>
  ['a', 'b'].map((endpoint) => ({
    id: `evt_${type}_${second}_${endpoint}`,
    type,
    occurredAt: NOW + second,
  })),
)

const fault = fc.record({
  operation: fc.constantFrom(
    'record',
    'claim',
    'settle',
    'giveBack',
    'renew',
  ) satisfies fc.Arbitrary<Fault['operation']>,
  point: fc.constantFrom('before', 'during', 'after') satisfies fc.Arbitrary<Fault['point']>,
  kind: fc.constantFrom('throws', 'dies') satisfies fc.Arbitrary<Fault['kind']>,
  call: fc.integer({ min: 1, max: 12 }),
})

/** What happens next: a delivery comes to a process, a process works, time passes, a process dies. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ deliver: fc.nat(DELIVERIES.length - 1), to: fc.nat(2) }),
  },
  { weight: 4, arbitrary: fc.record({ work: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ pass: fc.constantFrom(1, LEASE_MS / 2, LEASE_MS) }) },
  { weight: 1, arbitrary: fc.record({ kill: fc.nat(2) }) },
)

interface Context {
  readonly once: (name: string) => Promise<boolean>
  readonly advance: () => Promise<string>
}

test('under any interleaving, with processes that fail at any point, a payment is booked once', async () => {
  const run = fc.asyncProperty(
    fc.array(fault, { maxLength: 8 }),
    fc.array(step, { minLength: 10, maxLength: 60 }),
    fc.scheduler(),
    async (faults, steps, scheduler) => {
      const { time, clock, store } = createDatabase()
      const booked: string[] = []
      let status = ''
      const handler = {
        prepare: () => scheduler.schedule(Promise.resolve()),
        async apply(tx: MemoryTransaction, event: unknown, { once, advance }: Context) {
          const { event_type, event_id } = event as { event_type: string; event_id: string }
          await scheduler.schedule(Promise.resolve())
          if ((await advance()) === 'applied') {
            const before = status
            status = event_type
            tx.onRollback(() => {
              status = before
            })
          }
          if (event_type !== 'invoice.paid' || !(await once('fulfil'))) return
          booked.push(event_id)
          tx.onRollback(() => booked.splice(booked.indexOf(event_id), 1))
          await scheduler.schedule(Promise.resolve())
        },
      }
      const launch = (own: readonly Fault[]) => {
        const process = faultyStore(store, own)
        const options = { handlers: { default: handler }, maxClaims: 1000, attemptMs: 3_600_000 }
        return { ...process, ...createProcess({ clock, store: process }, options) }
      }
      const processes = [launch(faults), launch(faults.slice(1)), launch([])]
      const acknowledged = new Set<string>()
      const open: Promise<unknown>[] = []

      for (const next of steps) {
        if ('pass' in next) time.now += next.pass
        if ('work' in next) {
          open.push(Promise.resolve(processes[next.work]?.inbox.drain()).catch(() => {}))
        }
        if ('kill' in next) {
          processes[next.kill]?.die()
          processes[next.kill] = launch([])
        }
        if ('deliver' in next) {
          const parts = DELIVERIES[next.deliver] as (typeof DELIVERIES)[number]
          const delivery = await accepted(parts)
          const received = processes[next.to]?.inbox.receive(delivery)
          open.push(
            Promise.resolve(received).then((answer) => {
              if ((answer?.status ?? 500) < 300) acknowledged.add(parts.id)
            }),
          )
        }
        // Some of what waits goes on, in any order.
        if (scheduler.count() > 0) await scheduler.waitOne()
        await settled()
      }

      // Everything ends, and the sender repeats what was not acknowledged.
      await untilOver(Promise.race([Promise.all(open), settledFor(30)]), scheduler)
      for (const process of processes) process.die()
      await settled()
      const last = launch([])
      for (const parts of DELIVERIES) {
        if (!acknowledged.has(parts.id)) await last.inbox.receive(await accepted(parts))
      }
      time.now += LEASE_MS
      await untilOver(last.inbox.drain(), scheduler)
      expect(await store.find({})).toHaveLength(DELIVERIES.length)
      expect(await store.stats()).toMatchObject({ due: 0, waiting: 0, dead: 0 })
      expect(booked).toHaveLength(1)
      expect(status).toBe('invoice.paid')
    },
  )
  await fc.assert(run, { numRuns: 60 })
})

/** Lets go on what waits until a promise has settled. */
async function untilOver(promise: Promise<unknown>, scheduler: fc.Scheduler): Promise<void> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  promise.then(end, end)
  while (!isOver) {
    if (scheduler.count() > 0) await scheduler.waitOne()
    await settled()
  }
  await promise
}

/** So many turns, for what can end to have ended; what a dead process holds never does. */
async function settledFor(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await settled()
}
