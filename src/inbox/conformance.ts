import { fail } from '../core/errors.ts'
import type { Advance, Claim, InboxStore, NewDelivery, Outcome, Snapshot } from './store.ts'
import { pause } from './timers.ts'

/** One thing that every store must do; `run` throws an Error that says what differs. */
export interface StoreCheck {
  readonly name: string
  readonly run: () => Promise<void>
}

/** Makes a store whose tables are new and empty. Its time is `clock`, milliseconds since 1970. */
export type MakeStore = (options: { readonly clock: () => number }) => Promise<InboxStore>

/**
 * What an inbox relies on, as named checks of a store of your own; they know no test runner.
 *
 * @example
 * ```ts
 * import { storeConformance } from 'hookproof/inbox/conformance'
 * import { memoryStore } from 'hookproof/inbox'
 *
 * for (const { name, run } of storeConformance(async ({ clock }) => memoryStore({ clock }))) {
 *   await run()
 *   console.log('ok', name)
 * }
 * ```
 */
export function storeConformance(makeStore: MakeStore): readonly StoreCheck[] {
  if (typeof makeStore !== 'function') {
    fail('store_invalid', 'storeConformance takes a function that makes an empty store')
  }
  return checks().map(([name, check]) => ({
    name,
    async run() {
      const time = { now: Date.UTC(2026, 0, 1) }
      const store = (await makeStore({ clock: () => time.now })) as AnyStore
      try {
        await check({ store, time })
      } finally {
        await store.close()
      }
    },
  }))
}

/** The mode is asked at run time. */
type AnyStore = Omit<InboxStore<object, 'async'>, 'mode'> & Pick<InboxStore, 'mode'>

interface Bench {
  readonly store: AnyStore
  /** Moved by hand. */
  readonly time: { now: number }
}

const LEASE = 30_000
const LIMIT = { limit: 100, leaseMs: LEASE }

function delivery(id: string, more: Partial<NewDelivery> = {}): NewDelivery {
  return {
    id,
    type: 'invoice.paid',
    resource: { kind: 'invoice', id: 'inv_1' },
    occurredAt: 1_700_000_000,
    body: '{"a":1}',
    bodySha256: 'aa',
    traceparent: undefined,
    claimLimit: 10,
    ...more,
  }
}

const snapshot = (
  status: string,
  isFinal: boolean,
  occurredAt: number,
  rank: number,
): Snapshot => ({
  kind: 'invoice',
  id: 'inv_1',
  status,
  isFinal,
  occurredAt,
  rank,
  deliveryId: `evt_${status}_${occurredAt}`,
})

async function claimed(store: AnyStore, id: string): Promise<Claim> {
  await store.record(delivery(id))
  // A store may leave out a row that a transaction still holds, if only to look at it.
  for (let time = 0; time < 50; time++) {
    const [claim] = await store.claim({ ...LIMIT, id })
    if (claim !== undefined) return claim
    await pause(2)
  }
  throw new Error(`${id} was recorded and cannot be claimed`)
}

/** Runs one call in a transaction of its own, on a row of its own. */
async function within<T>(
  store: AnyStore,
  id: string,
  call: (tx: object) => T | Promise<T>,
): Promise<T> {
  const claim = await claimed(store, id)
  let result: T | undefined
  await store.settle(claim, (tx) =>
    chain(call(tx), (value) => {
      result = value
      return 'done'
    }),
  )
  return result as T
}

/** `then` for a value that may be there already, as on a store that cannot wait. */
function chain<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

type NamedCheck = readonly [name: string, check: (bench: Bench) => Promise<void>]

const checks = (): readonly NamedCheck[] => [
  [
    'the first of one id is recorded, every other is a duplicate, whatever its body',
    async ({ store }) => {
      equal(await store.record(delivery('evt_1')), { outcome: 'recorded' })
      equal(await store.record(delivery('evt_1')), { outcome: 'duplicate', bodyDiffers: false })
      const other = delivery('evt_1', { bodySha256: 'bb' })
      equal(await store.record(other), { outcome: 'duplicate', bodyDiffers: true })
      equal(await store.record(delivery('EVT_1')), { outcome: 'recorded' })
    },
  ],
  ...[3, 16, 64].map(
    (copies) =>
      [
        `of ${copies} copies at the same time, one is recorded`,
        async ({ store }: Bench) => {
          for (let round = 0; round < 5; round++) {
            const row = delivery(`evt_${round}`)
            const answers = await Promise.all(
              Array.from({ length: copies }, () => store.record(row)),
            )
            const winners = answers.filter(({ outcome }) => outcome === 'recorded')
            equal(winners.length, 1)
          }
        },
      ] as const,
  ),
  [
    'a row is kept as it was given',
    async ({ store, time }) => {
      const rows = [
        delivery('evt_1', {
          body: '{"t":"Grüße 🧾 \\u0000 \\ud800 \u2028"}',
          traceparent: '00-a-b-01',
        }),
        delivery("__proto__'; drop table", {
          body: undefined,
          resource: undefined,
          occurredAt: undefined,
        }),
        delivery('x'.repeat(255), { type: 'Typ "ä"', body: '' }),
      ]
      for (const row of rows) {
        await store.record(row)
        const [found] = await store.find({ id: row.id })
        const { id, type, resource, occurredAt, body } = row
        equal(found, {
          ...found,
          ...{ id, type, resource, occurredAt, body, receivedAt: time.now, dueAt: time.now },
          ...{ processedAt: undefined, outcome: undefined, claims: 0, lastError: undefined },
        })
        const [claim] = await store.claim({ ...LIMIT, id })
        equal(claim, { ...claim, ...row, claims: 1, receivedAt: time.now })
      }
    },
  ],
  [
    'rows are claimed oldest first, as many as asked for, each once in a lease',
    async ({ store, time }) => {
      for (const id of ['evt_b', 'evt_a', 'evt_c']) {
        await store.record(delivery(id))
        time.now += 1000
      }
      const first = await store.claim({ limit: 2, leaseMs: LEASE })
      equal(ids(first).sort(), ['evt_a', 'evt_b'])
      equal(ids(await store.claim(LIMIT)), ['evt_c'])
      equal(ids(await store.claim(LIMIT)), [])
      time.now += LEASE
      const again = await store.claim(LIMIT)
      equal(
        again.map(({ claims }) => claims),
        [2, 2, 2],
      )
    },
  ],
  [
    'a row is claimed by its id, if it is due',
    async ({ store }) => {
      await store.record(delivery('evt_1'))
      await store.record(delivery('evt_2'))
      equal(ids(await store.claim({ ...LIMIT, id: 'evt_2' })), ['evt_2'])
      equal(ids(await store.claim({ ...LIMIT, id: 'evt_2' })), [])
      equal(ids(await store.claim({ ...LIMIT, id: 'evt_3' })), [])
    },
  ],
  [
    'workers at the same time never get the same row',
    async ({ store }) => {
      for (let i = 0; i < 40; i++) await store.record(delivery(`evt_${i}`))
      const taken: string[] = []
      for (let round = 0; round < 20 && taken.length < 40; round++) {
        const batches = await Promise.all(
          Array.from({ length: 8 }, () => store.claim({ limit: 5, leaseMs: LEASE })),
        )
        taken.push(...batches.flatMap(ids))
      }
      equal([taken.length, new Set(taken).size], [40, 40])
    },
  ],
  [
    'a settled row has its outcome, and is not claimed again',
    async ({ store, time }) => {
      for (const outcome of ['done', 'stale', 'ignored'] as const) {
        const claim = await claimed(store, `evt_${outcome}`)
        equal(await store.settle(claim, () => outcome), 'settled')
        const [row] = await store.find({ id: claim.id })
        equal([row?.outcome, row?.dueAt, row?.processedAt], [outcome, undefined, time.now])
      }
      time.now += 10 * LEASE
      equal(ids(await store.claim(LIMIT)), [])
    },
  ],
  [
    'what apply did is undone when it throws, and the row is due again after its lease',
    async ({ store, time }) => {
      const claim = await claimed(store, 'evt_1')
      const failing = store.settle(claim, (tx) =>
        chain(store.once(tx, 'key', 'evt_1'), () => {
          throw new Error('apply failed')
        }),
      )
      equal(await messageOf(failing), 'apply failed')
      equal(await store.taken(['key']), [])
      equal(ids(await store.claim(LIMIT)), [])
      time.now += LEASE
      equal(ids(await store.claim(LIMIT)), ['evt_1'])
    },
  ],
  [
    'a claim that was taken over is fenced, and its apply does not run',
    async ({ store, time }) => {
      const zombie = await claimed(store, 'evt_1')
      time.now += LEASE
      const [heir] = await store.claim(LIMIT)
      let ran = 0
      const apply = (): Outcome => {
        ran++
        return 'done'
      }
      equal(await store.settle(zombie, apply), 'fenced')
      equal(await store.renew(zombie, LEASE), false)
      equal(await store.giveBack(zombie, { retryInMs: 0, error: 'late' }), false)
      equal(await store.settle(heir as Claim, apply), 'settled')
      equal(await store.settle(heir as Claim, apply), 'fenced')
      equal(await store.giveBack(heir as Claim, { dead: true, error: 'late' }), false)
      equal(ran, 1)
    },
  ],
  [
    'of settlements at the same time with one claim, one is settled',
    async ({ store }) => {
      const claim = await claimed(store, 'evt_1')
      let ran = 0
      const answers = await Promise.all(
        Array.from({ length: 4 }, () =>
          store.settle(claim, () => {
            ran++
            return 'done'
          }),
        ),
      )
      equal([answers.filter((answer) => answer === 'settled').length, ran], [1, 1])
    },
  ],
  [
    'a row that is given back is due when it says, with the error',
    async ({ store, time }) => {
      const claim = await claimed(store, 'evt_1')
      equal(await store.giveBack(claim, { retryInMs: 5000, error: 'no stock' }), true)
      time.now += 4999
      equal(ids(await store.claim(LIMIT)), [])
      time.now += 1
      equal(ids(await store.claim(LIMIT)), ['evt_1'])
      const [row] = await store.find({ id: 'evt_1' })
      equal([row?.lastError, row?.outcome], ['no stock', undefined])
    },
  ],
  [
    'a dead row stays until it is redriven, with more claims',
    async ({ store, time }) => {
      const claim = await claimed(store, 'evt_1')
      equal(await store.giveBack(claim, { dead: true, error: 'no stock' }), true)
      time.now += 10 * LEASE
      equal(ids(await store.claim(LIMIT)), [])
      equal(ids(await store.find({ outcome: 'dead' })), ['evt_1'])
      equal(await store.record(delivery('evt_1')), { outcome: 'duplicate', bodyDiffers: false })
      equal(await store.redrive({ ids: ['evt_1', 'evt_2'], outcome: 'dead', claims: 3 }), 1)
      equal(await store.redrive({ ids: ['evt_1'], outcome: 'dead', claims: 3 }), 0)
      const [again] = await store.claim(LIMIT)
      equal([again?.claims, again?.claimLimit], [2, 4])
      const [row] = await store.find({ id: 'evt_1' })
      equal([row?.outcome, row?.processedAt], [undefined, undefined])
    },
  ],
  [
    'what was ignored or stale is redriven as such, and nothing else is',
    async ({ store }) => {
      for (const outcome of ['done', 'stale', 'ignored'] as const) {
        await store.settle(await claimed(store, `evt_${outcome}`), () => outcome)
      }
      const all = ['evt_done', 'evt_stale', 'evt_ignored']
      equal(await store.redrive({ ids: all, outcome: 'dead', claims: 3 }), 0)
      equal(await store.redrive({ ids: all, outcome: 'ignored', claims: 3 }), 1)
      equal(ids(await store.claim(LIMIT)), ['evt_ignored'])
      equal(await store.redrive({ ids: all, outcome: 'stale', claims: 3 }), 1)
      equal(ids(await store.claim(LIMIT)), ['evt_stale'])
    },
  ],
  [
    'a lease is renewed from now on',
    async ({ store, time }) => {
      const claim = await claimed(store, 'evt_1')
      time.now += LEASE / 2
      equal(await store.renew(claim, LEASE), true)
      time.now += LEASE - 1
      equal(ids(await store.claim(LIMIT)), [])
      time.now += 1
      equal(ids(await store.claim(LIMIT)), ['evt_1'])
    },
  ],
  [
    'a key is given once, ever',
    async ({ store }) => {
      const once = (id: string, key: string) => within(store, id, (tx) => store.once(tx, key, id))
      equal(await once('evt_1', 'fulfil:invoice:inv_1'), true)
      equal(await once('evt_2', 'fulfil:invoice:inv_1'), false)
      equal(await once('evt_3', 'fulfil:invoice:inv_2'), true)
      const keys = ['fulfil:invoice:inv_2', 'fulfil:invoice:inv_3', 'fulfil:invoice:inv_1']
      equal((await store.taken(keys)).sort(), [keys[2], keys[0]])
    },
  ],
  [
    'a key that many want at the same time is given once',
    async ({ store }) => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          within(store, `evt_${i}`, (tx) => store.once(tx, 'key', `evt_${i}`)),
        ),
      )
      equal(answers.filter(Boolean).length, 1)
    },
  ],
  [
    'the greater of final, time and rank is the state of a resource',
    async ({ store }) => {
      let count = 0
      const advance = (fresh: Snapshot): Promise<Advance> =>
        within(store, `evt_${count++}`, (tx) => store.advance(tx, fresh))
      equal(await advance(snapshot('confirming', false, 10, 2)), 'applied')
      const sameElsewhere = { ...snapshot('confirming', false, 10, 2), deliveryId: 'evt_other' }
      equal(await advance(sameElsewhere), 'stale')
      // A reorganisation takes a payment back, which is legal until a state is final.
      equal(await advance(snapshot('awaiting_payment', false, 20, 1)), 'applied')
      equal(await advance(snapshot('confirming', false, 15, 2)), 'stale')
      equal(await advance(snapshot('paid', true, 15, 4)), 'applied')
      equal(await advance(snapshot('confirming', false, 30, 2)), 'stale')
      equal(await advance(snapshot('expired', true, 14, 3)), 'conflict')
      equal(await advance({ ...snapshot('paid', true, 15, 4), deliveryId: 'evt_other' }), 'stale')
    },
  ],
  [
    'a delivery that is worked on again is not late to its own state, but to a greater one',
    async ({ store }) => {
      let count = 0
      const advance = (fresh: Snapshot): Promise<Advance> =>
        within(store, `evt_${count++}`, (tx) => store.advance(tx, fresh))
      const [confirming, paid] = [
        snapshot('confirming', false, 10, 2),
        snapshot('paid', true, 10, 4),
      ]
      equal(await advance(confirming), 'applied')
      equal(await advance(confirming), 'applied')
      equal(await advance(paid), 'applied')
      equal(await advance(paid), 'applied')
      equal(await advance(confirming), 'stale')
    },
  ],
  [
    'the order of arrival does not matter',
    async ({ store }) => {
      const states = [
        snapshot('awaiting_payment', false, 10, 1),
        snapshot('confirming', false, 20, 2),
        snapshot('paid', true, 20, 4),
      ]
      for (const [index, order] of permutations(states).entries()) {
        const moved = order.map((state) => ({ ...state, id: `inv_${index}` }))
        for (const [step, state] of moved.entries()) {
          await within(store, `evt_${index}_${step}`, (tx) => store.advance(tx, state))
        }
        const paid = {
          ...snapshot('paid', true, 20, 4),
          ...{ id: `inv_${index}`, deliveryId: 'evt_other' },
        }
        equal(await within(store, `evt_${index}_last`, (tx) => store.advance(tx, paid)), 'stale')
      }
    },
  ],
  [
    'work of the recording transaction is all or nothing, and only for the one that is recorded',
    async ({ store }) => {
      let ran = 0
      const failing = store.record(delivery('evt_1'), () => {
        ran++
        throw new Error('no queue')
      })
      equal(await messageOf(failing), 'no queue')
      equal(await store.find({ id: 'evt_1' }), [])
      const count = (): void => {
        ran++
      }
      equal(await store.record(delivery('evt_1'), count), { outcome: 'recorded' })
      equal((await store.record(delivery('evt_1'), count)).outcome, 'duplicate')
      equal(ran, 2)
    },
  ],
  [
    'a row that is recorded while apply waits stays, whatever becomes of apply',
    async ({ store }) => {
      const claim = await claimed(store, 'evt_1')
      if (store.mode === 'sync') {
        const waiting = store.settle(claim, (async () => 'done') as never)
        equal(await messageOf(waiting, 'code'), 'apply_async')
      } else {
        let recording: Promise<unknown> | undefined
        const failing = store.settle(claim, async () => {
          recording = store.record(delivery('evt_2'))
          // A store with one connection waits for this transaction, others do not.
          await pause(50)
          throw new Error('apply failed')
        })
        equal(await messageOf(failing), 'apply failed')
        equal(await recording, { outcome: 'recorded' })
        equal((await store.record(delivery('evt_2'))).outcome, 'duplicate')
      }
      equal((await store.find({ id: 'evt_1' }))[0]?.outcome, undefined)
    },
  ],
  [
    'rows are found by id, by resource and by outcome, the newest first',
    async ({ store, time }) => {
      for (const id of ['evt_1', 'evt_2', 'evt_3']) {
        await store.record(delivery(id))
        time.now += 1000
      }
      await store.record(delivery('evt_4', { resource: { kind: 'invoice', id: 'inv_2' } }))
      equal(ids(await store.find({ resourceId: 'inv_1' })), ['evt_3', 'evt_2', 'evt_1'])
      equal(ids(await store.find({ resourceId: 'inv_1', limit: 2 })), ['evt_3', 'evt_2'])
      equal(ids(await store.find({ resourceId: 'inv_1', id: 'evt_4' })), [])
      equal(ids(await store.find({ outcome: 'done' })), [])
    },
  ],
  [
    'the numbers of rows that are due, waiting and dead, and the age of the oldest that is due',
    async ({ store, time }) => {
      equal(await store.stats(), { due: 0, waiting: 0, dead: 0, oldestDueMs: undefined })
      await store.giveBack(await claimed(store, 'evt_dead'), { dead: true, error: '' })
      await claimed(store, 'evt_waiting')
      await store.settle(await claimed(store, 'evt_done'), () => 'done')
      await store.record(delivery('evt_old'))
      time.now += 2000
      await store.record(delivery('evt_new'))
      equal(await store.stats(), { due: 2, waiting: 1, dead: 1, oldestDueMs: 2000 })
    },
  ],
  [
    'bodies go when they are due, then the rows; a repeat is one for as long as the row is there',
    async ({ store, time }) => {
      const bodies = async () =>
        (await store.find({}))
          .filter(({ body }) => body !== undefined)
          .map(({ id }) => id)
          .sort()
      for (const id of ['evt_1', 'evt_2', 'evt_3']) {
        await store.settle(await claimed(store, id), () => 'done')
      }
      await store.giveBack(await claimed(store, 'evt_dead'), { dead: true, error: '' })
      await store.record(delivery('evt_due'))
      const redactOlderMs = 1000
      time.now += redactOlderMs
      equal(await store.purge({ redactOlderMs, limit: 10 }), { redacted: 0, deleted: 0 })
      time.now += 1
      equal(await store.purge({ redactOlderMs, limit: 2 }), { redacted: 2, deleted: 0 })
      equal(await store.purge({ redactOlderMs, limit: 9 }), { redacted: 1, deleted: 0 })
      equal(await bodies(), ['evt_dead', 'evt_due'])
      equal((await store.record(delivery('evt_1'))).outcome, 'duplicate')
      equal(await store.purge({ redactDeadOlderMs: 1000, limit: 9 }), { redacted: 1, deleted: 0 })
      equal(await store.purge({ deleteOlderMs: 1000, limit: 2 }), { redacted: 0, deleted: 2 })
      equal(await store.purge({ deleteOlderMs: 1000, limit: 9 }), { redacted: 0, deleted: 1 })
      equal(ids(await store.find({})).sort(), ['evt_dead', 'evt_due'])
      equal((await store.record(delivery('evt_1'))).outcome, 'recorded')
    },
  ],
  [
    'the bodies of a resource go at once, but for those still due',
    async ({ store }) => {
      await store.settle(await claimed(store, 'evt_1'), () => 'done')
      await store.giveBack(await claimed(store, 'evt_dead'), { dead: true, error: '' })
      await store.record(delivery('evt_due'))
      const order = { resourceIds: ['inv_1', 'inv_2'], limit: 10 }
      equal(await store.purge(order), { redacted: 2, deleted: 0 })
      equal(await store.purge(order), { redacted: 0, deleted: 0 })
    },
  ],
  [
    'the tables may be made again, by many at the same time, and nothing is missing then',
    async ({ store }) => {
      await store.record(delivery('evt_1'))
      await Promise.all([store.migrate(), store.migrate(), store.migrate()])
      equal((await store.record(delivery('evt_1'))).outcome, 'duplicate')
      equal(
        (await store.check()).filter(({ level }) => level === 'error'),
        [],
      )
    },
  ],
]

function ids(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]]
  return list.flatMap((item, index) =>
    permutations(list.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  )
}

async function messageOf(failing: Promise<unknown>, member = 'message'): Promise<unknown> {
  try {
    return `no error, but ${JSON.stringify(await failing)}`
  } catch (error) {
    return (error as Record<string, unknown>)[member]
  }
}

function equal(actual: unknown, expected: unknown): void {
  const [a, b] = [actual, expected].map(inOrder)
  if (a !== b) throw new Error(`expected ${b}, got ${a}`)
}

/** As JSON, with the keys of each object sorted. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    inner?.constructor === Object ? Object.fromEntries(Object.entries(inner).sort()) : inner,
  )
}
