import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  accepted,
  createDatabase,
  createProcess,
  type Database,
  gate,
  LEASE_MS,
  NOW,
  outcomes,
  settled,
} from './bench.ts'
import { BROKEN, type Fault, faultyStore } from './faulty-store.ts'

afterEach(() => {
  vi.useRealTimers()
})

const handling = (apply: (...values: never[]) => Promise<unknown>, more: object = {}) => ({
  handlers: { 'invoice.paid': { apply } },
  ...more,
})
interface Context {
  readonly once: (name: string, item?: string) => Promise<boolean>
  readonly advance: (state?: object) => Promise<string>
  readonly key: (name: string, item?: string) => string
  readonly attempt: number
  readonly signal: AbortSignal
  readonly delivery: object
}
type Apply = (
  tx: { onRollback(undo: () => void): void },
  event: unknown,
  context: Context,
) => Promise<unknown>

describe('an attempt', () => {
  test('runs prepare without a transaction, and apply with what it gave', async () => {
    const calls: unknown[] = []
    const handler = {
      prepare: async (event: unknown, context: object) => {
        calls.push(['prepare', event, Object.keys(context).sort()])
        return 'label'
      },
      apply: async (_: unknown, event: unknown, context: object, prepared: unknown) => {
        calls.push(['apply', event, Object.keys(context).sort(), prepared])
      },
    }
    const { inbox } = createProcess(createDatabase(), { handlers: { 'invoice.paid': handler } })
    const { event } = await accepted()
    await inbox.receive(await accepted())
    await inbox.drain()
    const names = ['attempt', 'delivery', 'key', 'signal']
    expect(calls).toEqual([
      ['prepare', event, names],
      ['apply', event, ['advance', ...names.slice(0, 3), 'once', 'signal'], 'label'],
    ])
  })

  test('knows its delivery and has keys that do not depend on it', async () => {
    const seen: object[] = []
    const apply = async (_: never, __: never, { attempt, delivery, key, signal }: Context) => {
      seen.push({
        attempt,
        ...delivery,
        keys: [key('ship'), key('ship', 'part')],
        signal: signal.aborted,
      })
      if (seen.length === 1) throw new Error('once')
    }
    const { inbox } = createProcess(createDatabase(), handling(apply))
    await inbox.receive(await accepted())
    await inbox.drain()
    const common = {
      id: 'evt_1',
      type: 'invoice.paid',
      resource: { kind: 'invoice', id: 'inv_1' },
      occurredAt: NOW,
      receivedAt: NOW * 1000,
      traceparent: undefined,
      keys: ['ship:invoice:inv_1', 'ship:part'],
      signal: false,
    }
    expect(seen).toEqual([
      { attempt: 1, ...common },
      { attempt: 2, ...common },
    ])
  })

  test.each(['stale', 'ignored'])('that gives %s settles the delivery as that', async (outcome) => {
    const { inbox, signals } = createProcess(
      createDatabase(),
      handling(async () => outcome),
    )
    await inbox.receive(await accepted())
    await inbox.drain()
    expect(await inbox.find({})).toMatchObject([{ outcome, processedAt: NOW * 1000 }])
    expect(outcomes(signals)).toEqual([outcome])
  })

  test('that fails leaves nothing behind, and is made again after the backoff', async () => {
    const { time, clock, store } = createDatabase()
    const booked: number[] = []
    const apply: Apply = async (tx, _, { once, attempt }) => {
      if (!(await once('fulfil'))) return
      booked.push(attempt)
      tx.onRollback(() => booked.pop())
      if (attempt < 3) throw new TypeError('card API away')
    }
    const backoff = vi.fn((attempt: number) => attempt * 1000)
    const { inbox, signals } = createProcess({ clock, store }, handling(apply, { backoff }))
    await inbox.receive(await accepted())
    expect(await inbox.drain()).toBe(1)
    expect(booked).toEqual([])
    expect(await inbox.find({})).toMatchObject([{ lastError: 'TypeError: card API away' }])
    time.now += 999
    expect(await inbox.drain()).toBe(0)
    time.now += 1
    expect(await inbox.drain()).toBe(1)
    time.now += 2000
    expect(await inbox.drain()).toBe(1)
    expect(booked).toEqual([3])
    expect(backoff.mock.calls).toEqual([[1], [2]])
    expect(signals).toMatchObject([
      { outcome: 'retry', attempt: 1, error: new TypeError('card API away') },
      { outcome: 'retry', attempt: 2 },
      { outcome: 'done', attempt: 3, queueDelayMs: 3000 },
    ])
  })

  test('waits at random up to a limit that doubles from 10 s to 30 min', async () => {
    const { time, clock, store } = createDatabase()
    const waits: number[] = []
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.999_999)
    const apply = async () => Promise.reject(new Error('away'))
    const options = handling(apply, { backoff: undefined, maxClaims: 12 })
    const { inbox } = createProcess({ clock, store }, options)
    await inbox.receive(await accepted())
    for (let i = 0; i < 11; i++) {
      await inbox.drain()
      const [row] = await inbox.find({})
      waits.push(Math.round((Number(row?.dueAt) - time.now) / 1000))
      time.now = Number(row?.dueAt)
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800, 1800])
    random.mockReturnValue(0)
    await inbox.drain()
    expect(await inbox.find({ outcome: 'dead' })).toHaveLength(1)
    random.mockRestore()
  })

  const ERRORS: readonly [thrown: unknown, told: string][] = [
    ['text', 'text'],
    [undefined, 'undefined'],
    [Object.create(null), 'an error without a description'],
    [new Error(`\0 \ud800 ${'x'.repeat(600)}`), `Error: \ufffd \ufffd ${'x'.repeat(489)}`],
  ]
  test.each(ERRORS)(
    'that throws %j is told of in text that databases take',
    async (thrown, told) => {
      const { inbox } = createProcess(
        createDatabase(),
        handling(() => Promise.reject(thrown)),
      )
      await inbox.receive(await accepted())
      await inbox.drain({ maxEvents: 1 })
      expect(await inbox.find({})).toMatchObject([{ lastError: told }])
    },
  )

  const BACKOFFS: readonly [name: string, backoff: () => number][] = [
    ['is no number', () => Number.NaN],
    ['is for ever', () => Number.POSITIVE_INFINITY],
    [
      'throws',
      () => {
        throw new TypeError('no such attempt')
      },
    ],
  ]
  test.each(BACKOFFS)(
    'with a backoff that %s is made again, and the mistake is told',
    async (_, backoff) => {
      const failing = handling(() => Promise.reject(new Error('away')), { backoff })
      const { inbox, signals } = createProcess(createDatabase(), failing)
      await inbox.receive(await accepted())
      await inbox.drain({ maxEvents: 1 })
      expect(signals).toMatchObject([{ kind: 'process', outcome: 'retry' }])
      expect(signals).not.toMatchObject([{ error: { message: 'away' } }])
      const [row] = await inbox.find({})
      expect(row?.lastError).toContain('Error: away')
      expect(row?.dueAt).toBeLessThan(NOW * 1000 + 10_000)
    },
  )
})

describe('the dead', () => {
  const failing = () => Promise.reject(new Error('poison'))

  test('are what failed as often as it may; they come back by hand alone', async () => {
    const apply = vi.fn(failing)
    const { inbox, signals } = createProcess(createDatabase(), handling(apply, { maxClaims: 3 }))
    const delivery = await accepted()
    await inbox.receive(delivery)
    for (let i = 0; i < 5; i++) await inbox.drain()
    expect(outcomes(signals)).toEqual(['retry', 'retry', 'dead'])
    expect(await inbox.find({ outcome: 'dead' })).toMatchObject([{ lastError: 'Error: poison' }])
    expect(await inbox.stats()).toMatchObject({ due: 0, waiting: 0, dead: 1 })
    // Acknowledged again, and dead all the same.
    expect(await inbox.receive(delivery)).toEqual({ status: 200, outcome: 'duplicate' })
    expect(await inbox.drain()).toBe(0)
    expect(await inbox.redrive({ claims: 2 })).toBe(1)
    await inbox.drain({ maxEvents: 1 })
    apply.mockImplementation(async () => undefined as never)
    await inbox.drain()
    expect(outcomes(signals)).toEqual(['retry', 'retry', 'dead', 'retry', 'done'])
  })

  test('come back all, or those that are named', async () => {
    const { inbox } = createProcess(createDatabase(), handling(failing, { maxClaims: 1 }))
    for (const id of ['evt_1', 'evt_2', 'evt_3']) await inbox.receive(await accepted({ id }))
    await inbox.drain()
    expect(await inbox.redrive({ ids: ['evt_2', 'evt_none'] })).toBe(1)
    expect(await inbox.redrive()).toBe(2)
    expect(await inbox.redrive()).toBe(0)
    await expect(inbox.redrive({ claims: 0 })).rejects.toMatchObject({ code: 'inbox_invalid' })
  })

  test('come back all, however many there are', async () => {
    const { clock, store } = createDatabase()
    const left = [1000, 1000, 1, 0]
    const find = async () => Array.from({ length: left[0] ?? 0 }, (_, i) => ({ id: `evt_${i}` }))
    const redrive = async ({ ids }: { ids: readonly string[] }) => {
      expect(ids).toHaveLength(left[0] ?? 0)
      return left.shift() ?? 0
    }
    const many = { ...store, find, redrive }
    const { inbox } = createProcess({ clock, store: many as never }, {})
    expect(await inbox.redrive()).toBe(2001)
  })

  test('are what kills its process each time, without being run once more', async () => {
    const { time, clock, store } = createDatabase()
    let kills = 0
    for (let i = 0; i < 5; i++) {
      const process = faultyStore(store)
      const kill = () => {
        kills++
        process.die()
        return gate().opened
      }
      const { inbox } = createProcess({ clock, store: process }, handling(kill, { maxClaims: 3 }))
      if (i === 0) await inbox.receive(await accepted())
      const drained = inbox.drain()
      await Promise.race([drained, settled()])
      time.now += LEASE_MS
    }
    expect(kills).toBe(3)
    const { inbox } = createProcess(
      { clock, store },
      handling(async () => {}),
    )
    expect(await inbox.find({ outcome: 'dead' })).toMatchObject([
      { lastError: 'Error: began 3 times and never ended', claims: 4 },
    ])
    expect(await inbox.redrive()).toBe(1)
    await inbox.drain()
    expect(await inbox.find({ outcome: 'done' })).toHaveLength(1)
  })

  test('are what has lost its body to retention', async () => {
    const { time, clock, store } = createDatabase()
    const apply = vi.fn(failing)
    const retention = { deadBodyDays: 1 }
    const { inbox } = createProcess({ clock, store }, handling(apply, { maxClaims: 1, retention }))
    await inbox.receive(await accepted())
    await inbox.drain()
    time.now += 2 * 86_400_000
    expect(await inbox.purge()).toEqual({ redacted: 1, deleted: 0 })
    await inbox.redrive()
    await inbox.drain()
    expect(apply).toHaveBeenCalledOnce()
    expect(await inbox.find({ outcome: 'dead' })).toMatchObject([
      { lastError: 'Error: the body of evt_1 is gone' },
    ])
  })
})

describe('once and advance', () => {
  /** Runs one delivery's handler, and gives how it was settled. */
  async function run(database: Database, apply: Apply, parts: object = {}) {
    const { inbox, signals } = createProcess(database, {
      handlers: { default: { apply } },
      maxClaims: 1,
    })
    await inbox.receive(await accepted(parts))
    await inbox.drain()
    return signals
  }

  test('once is true for the first delivery about a resource, and for each item', async () => {
    const database = createDatabase()
    const seen: boolean[] = []
    for (const id of ['evt_1', 'evt_2']) {
      await run(
        database,
        async (_, __, { once }) => {
          seen.push(await once('fulfil'), await once('fulfil', 'item'), await once('label'))
        },
        { id },
      )
    }
    expect(seen).toEqual([true, true, true, false, false, false])
  })

  const ORDER: readonly [type: string, occurredAt: number, answer: string, data?: object][] = [
    ['invoice.confirming', NOW, 'applied'],
    // The chain was reorganised.
    ['invoice.awaiting_payment', NOW + 1, 'applied'],
    ['invoice.confirming', NOW, 'stale'],
    ['invoice.confirming', NOW + 1, 'applied'],
    ['invoice.paid', NOW + 1, 'applied'],
    ['invoice.confirming', NOW + 9, 'stale'],
    ['invoice.paid', NOW + 1, 'stale'],
    ['invoice.expired', NOW, 'conflict'],
    ['invoice.paid_over', NOW + 2, 'conflict'],
    ['invoice.paid_over', NOW + 2, 'stale'],
  ]
  test('advance knows the order of the types of Paymos', async () => {
    const database = createDatabase()
    const answers: string[] = []
    const conflicts: number[] = []
    for (const [index, [type, occurredAt]] of ORDER.entries()) {
      const apply: Apply = async (_, __, { advance }) => answers.push(await advance())
      const signals = await run(database, apply, { id: `evt_${index}`, type, occurredAt })
      if (signals.some(({ kind }) => kind === 'anomaly')) conflicts.push(index)
    }
    expect(answers).toEqual(ORDER.map(([, , answer]) => answer))
    expect(conflicts).toEqual([7, 8])
  })

  test('a deposit that is confirmed and not yet final does not end its story', async () => {
    const database = createDatabase()
    const answers: string[] = []
    const deposit = (type: string, is_final: boolean, occurredAt: number) =>
      run(
        database,
        async (_, __, { advance }) => {
          answers.push(await advance())
        },
        {
          id: `evt_${answers.length}`,
          type,
          occurredAt,
          data: { id: 'pcd_1', status: type, is_final },
        },
      )
    await deposit('payment_channel.deposit.confirmed', false, NOW)
    await deposit('payment_channel.deposit.reorged', false, NOW + 1)
    await deposit('payment_channel.deposit.confirmed', true, NOW + 2)
    await deposit('payment_channel.deposit.confirming', false, NOW + 3)
    expect(answers).toEqual(['applied', 'applied', 'applied', 'stale'])
  })

  test('advance takes a state of your own, for a type that it does not know', async () => {
    const database = createDatabase()
    const answers: string[] = []
    const open = { status: 'open', isFinal: false, rank: 1 }
    for (const state of [open, { ...open, occurredAt: NOW + 1 }, open]) {
      await run(database, async (_, __, { advance }) => answers.push(await advance(state)), {
        id: `evt_${answers.length}`,
        type: 'invoice.refunded',
      })
    }
    expect(answers).toEqual(['applied', 'applied', 'stale'])
  })

  const MISTAKES: readonly (readonly [
    name: string,
    parts: object,
    use: (context: Context) => unknown,
  ])[] = [
    ['advance of a type that it does not know', { type: 'invoice.x' }, ({ advance }) => advance()],
    ['once without a resource', { data: {} }, ({ once }) => once('fulfil')],
    ['advance without a resource', { data: {} }, ({ advance }) => advance()],
    ['key without a resource', { data: {} }, ({ key }) => key('fulfil')],
    ...[undefined, null, '', ' ', {}, 7].flatMap(
      (wrong) =>
        [
          [
            `once with the item ${wrong}`,
            {},
            ({ once }: Context) => once('fulfil', wrong as never),
          ],
          [`key with the item ${wrong}`, {}, ({ key }: Context) => key('fulfil', wrong as never)],
          [`once with the name ${wrong}`, {}, ({ once }: Context) => once(wrong as never)],
        ] as const,
    ),
    ...[
      { status: '', isFinal: true, rank: 1 },
      { status: 'paid', isFinal: 'yes', rank: 1 },
      { status: 'paid', isFinal: true, rank: Number.NaN },
      { status: 'paid', isFinal: true, rank: 1, occurredAt: '2026-01-01' },
      { status: 'paid', isFinal: true },
      null,
    ].map(
      (state) =>
        [
          `advance to ${JSON.stringify(state)}`,
          {},
          ({ advance }: Context) => advance(state as never),
        ] as const,
    ),
  ]
  test.each(MISTAKES)('%s is a mistake that is told', async (_, parts, use) => {
    const signals = await run(createDatabase(), async (_, __, context) => use(context), parts)
    expect(signals).toMatchObject([{ outcome: 'dead', error: { code: 'inbox_invalid' } }])
  })

  test('behind the end of apply they are a mistake, not a statement of another transaction', async () => {
    let kept: Context | undefined
    await run(createDatabase(), async (_, __, context) => {
      kept = context
    })
    for (const late of [() => kept?.once('fulfil'), () => kept?.advance()]) {
      expect(late).toThrow(expect.objectContaining({ code: 'apply_async' }))
    }
  })
})

describe('what apply does not wait for', () => {
  /** Runs `apply` once, and gives what was told, and which keys are taken. */
  async function run(apply: Apply) {
    const { clock, store } = createDatabase()
    // As a database that is far away.
    const slow = {
      ...store,
      once: async (...of: Parameters<typeof store.once>) => {
        await settled()
        return store.once(...of)
      },
    }
    const options = handling(apply as never, { maxClaims: 1 })
    const { inbox, signals } = createProcess({ clock, store: slow }, options)
    await inbox.receive(await accepted())
    await inbox.drain()
    await settled()
    return { signals, taken: await store.taken(['a:invoice:inv_1', 'b:invoice:inv_1']) }
  }

  const FORGOTTEN: readonly [name: string, apply: Apply][] = [
    [
      'once, which is true before it has answered',
      async (_, __, { once }) => {
        // @ts-expect-error: in JavaScript nobody says so
        if (once('a')) await settled()
      },
    ],
    [
      'advance, whose answer is never stale',
      async (_, __, { advance }) => {
        advance()
        await settled()
      },
    ],
    [
      'once, at the very end',
      async (_, __, { once }) => {
        await once('b')
        once('a')
      },
    ],
    [
      'once, for as long as it takes',
      async (_, __, { once }) => {
        await Promise.race([once('a'), undefined])
      },
    ],
  ]
  test.each(FORGOTTEN)('is a mistake: %s', async (_, apply) => {
    const { signals, taken } = await run(apply)
    expect(signals).toMatchObject([{ outcome: 'dead', error: { code: 'apply_async' } }])
    expect(taken).toEqual([])
  })

  const AWAITED: readonly [name: string, apply: Apply][] = [
    ['all together', async (_, __, { once }) => Promise.all([once('a'), once('b')])],
    [
      'later',
      async (_, __, { once }) => {
        const [a, b] = [once('a'), once('b')]
        await settled()
        await b
        await a
      },
    ],
    ['by then', (_, __, { once }) => once('a').then(() => once('b'))],
    ['in turn', async (_, __, { once }) => (await once('a')) && once('b')],
  ]
  test.each(AWAITED)('is nothing, if it waits for them %s', async (_, apply) => {
    const { signals, taken } = await run(apply)
    expect(signals).toMatchObject([{ outcome: 'done' }])
    expect(taken).toHaveLength(2)
  })
})

describe('on a sync store', () => {
  /** As SQLite behaves: a transaction is over when its function returns. */
  function syncProcess(apply: (...values: never[]) => unknown, more: object = {}) {
    const { store, clock } = createDatabase()
    const keys = new Set<string>()
    const sync = {
      ...store,
      mode: 'sync',
      once: (_: never, key: string) => !keys.has(key) && keys.add(key) !== undefined,
      settle: (claim: never, work: (tx: unknown) => never) =>
        store.settle(claim, async (tx) => {
          const before = [...keys]
          try {
            return work(tx)
          } catch (error) {
            keys.clear()
            for (const key of before) keys.add(key)
            throw error
          }
        }),
      record: (row: never, onRecord?: (tx: never) => void) =>
        store.record(row, onRecord && (async (tx) => onRecord(tx as never))),
    }
    const handlers = { 'invoice.paid': { apply } }
    const process = createProcess({ store: sync as never, clock }, { handlers, ...more })
    return { ...process, keys }
  }

  test('apply, once and advance are synchronous', async () => {
    const apply = (_: never, __: never, { once }: { once: (name: string) => unknown }) => {
      expect(once('fulfil')).toBe(true)
      return 'stale'
    }
    const { inbox } = syncProcess(apply)
    await inbox.receive(await accepted())
    await inbox.drain()
    expect(await inbox.find({ outcome: 'stale' })).toHaveLength(1)
  })

  test('an apply that waits is rolled back, and told what to do', async () => {
    const apply = async (_: never, __: never, { once }: { once: (name: string) => unknown }) => {
      once('fulfil')
    }
    const { inbox, signals, keys } = syncProcess(apply)
    await inbox.receive(await accepted())
    await inbox.drain({ maxEvents: 1 })
    expect(signals).toMatchObject([
      {
        outcome: 'retry',
        error: { code: 'apply_async', message: expect.stringContaining('prepare') },
      },
    ])
    expect(keys).toEqual(new Set())
    expect(await inbox.find({ outcome: 'done' })).toEqual([])
  })

  test('an onRecord that waits records nothing', async () => {
    const { inbox } = syncProcess(() => {}, { onRecord: async () => {} })
    await expect(inbox.receive(await accepted())).rejects.toMatchObject({ code: 'apply_async' })
    expect(await inbox.find({})).toEqual([])
  })
})

describe('a lease', () => {
  const hour = 3_600_000

  test('is renewed at half time for as long as prepare takes', async () => {
    vi.useFakeTimers()
    const { time, clock, store } = createDatabase()
    const { opened, open } = gate()
    const handler = { prepare: () => opened, apply: async () => {} }
    const options = { handlers: { 'invoice.paid': handler }, attemptMs: hour }
    const { inbox, signals } = createProcess({ clock, store }, options)
    const other = createProcess({ clock, store }, options).inbox
    await inbox.receive(await accepted())
    const drained = inbox.drain()
    for (let i = 0; i < 10; i++) {
      time.now += LEASE_MS / 2
      await vi.advanceTimersByTimeAsync(LEASE_MS / 2)
      expect(await other.drain()).toBe(0)
    }
    open()
    await drained
    expect(outcomes(signals)).toEqual(['done'])
    expect(vi.getTimerCount()).toBe(0)
  })

  const LOST: readonly [name: string, faults: readonly Fault[], cancelled: boolean][] = [
    [
      'one renewal fails',
      [{ operation: 'renew', point: 'before', kind: 'throws', call: 1 }],
      false,
    ],
    ['each renewal fails', [{ operation: 'renew', point: 'before', kind: 'throws' }], true],
  ]
  test.each(LOST)('when %s, the signal is set off: %j → %s', async (_, faults, cancelled) => {
    vi.useFakeTimers()
    const { clock, store } = createDatabase()
    const { opened, open } = gate()
    let signal: AbortSignal | undefined
    const prepare = (_: never, context: Context) => {
      signal = context.signal
      return opened
    }
    const options = { handlers: { 'invoice.paid': { prepare, apply: async () => {} } } }
    const { inbox } = createProcess({ clock, store: faultyStore(store, faults) }, options)
    await inbox.receive(await accepted())
    const drained = inbox.drain({ maxEvents: 1 })
    await vi.advanceTimersByTimeAsync(LEASE_MS)
    expect(signal?.aborted).toBe(cancelled)
    open()
    await drained
  })

  test("that ran out is another worker's: the first is cancelled, or fenced if it goes on", async () => {
    vi.useFakeTimers()
    const { time, clock, store } = createDatabase()
    const booked: string[] = []
    const worker = (name: string, opened: Promise<void>) => {
      const apply: Apply = async (tx) => {
        booked.push(name)
        tx.onRollback(() => booked.splice(booked.indexOf(name), 1))
      }
      const handlers = { 'invoice.paid': { prepare: () => opened, apply } }
      return createProcess({ clock, store }, { handlers })
    }
    const slow = gate()
    const zombie = worker('zombie', slow.opened)
    await zombie.inbox.receive(await accepted())
    const drained = zombie.inbox.drain({ maxEvents: 1 })
    // Its process stood still: no timer of its own ran.
    time.now += LEASE_MS
    const second = worker('second', Promise.resolve())
    expect(await second.inbox.drain()).toBe(1)
    slow.open()
    await drained
    expect(outcomes(zombie.signals)).toEqual(['fenced'])
    expect(booked).toEqual(['second'])

    const third = worker('third', gate().opened)
    await third.inbox.receive(await accepted({ id: 'evt_2' }))
    const waiting = third.inbox.drain({ maxEvents: 1 })
    time.now += LEASE_MS
    await second.inbox.drain()
    await vi.advanceTimersByTimeAsync(LEASE_MS / 2)
    await waiting
    expect(third.signals).toMatchObject([
      { outcome: 'fenced', error: new Error('the lease is lost') },
    ])
    expect(booked).toEqual(['second', 'second'])
  })

  test('that ran out is lost even while the next worker is still at it', async () => {
    const { time, clock, store } = createDatabase()
    const worker = (opened: Promise<void>) => {
      const handlers = { 'invoice.paid': { prepare: () => opened, apply: async () => {} } }
      const { inbox, signals } = createProcess({ clock, store }, { handlers })
      return { inbox, signals }
    }
    const [slow, slower] = [gate(), gate()]
    const [zombie, second] = [worker(slow.opened), worker(slower.opened)]
    await zombie.inbox.receive(await accepted())
    const draining = [zombie.inbox.drain({ maxEvents: 1 })]
    await settled()
    time.now += LEASE_MS
    draining.push(second.inbox.drain({ maxEvents: 1 }))
    await settled()
    slow.open()
    await draining[0]
    expect(outcomes(zombie.signals)).toEqual(['fenced'])
    slower.open()
    await draining[1]
    expect(outcomes(second.signals)).toEqual(['done'])
  })

  test('is neither renewed nor taken while apply runs: the transaction holds the row', async () => {
    vi.useFakeTimers()
    const { time, clock, store } = createDatabase()
    const { opened, open } = gate()
    let signal: AbortSignal | undefined
    const apply: Apply = (_, __, context) => {
      signal = context.signal
      return opened
    }
    const renew = vi.fn(store.renew)
    const { inbox, signals } = createProcess({ clock, store: { ...store, renew } }, handling(apply))
    await inbox.receive(await accepted())
    const drained = inbox.drain({ maxEvents: 1 })
    await vi.waitFor(() => expect(signal).toBeDefined())
    time.now += 3 * LEASE_MS
    await vi.advanceTimersByTimeAsync(3 * LEASE_MS)
    expect(await createProcess({ clock, store }, handling(apply)).inbox.drain()).toBe(0)
    expect([renew.mock.calls.length, signal?.aborted]).toEqual([0, false])
    open()
    await drained
    expect(outcomes(signals)).toEqual(['done'])
  })

  test('whose renewal is on its way when apply begins is not lost by what comes of it', async () => {
    vi.useFakeTimers()
    const { clock, store } = createDatabase()
    const [renewing, preparing, applying] = [gate<boolean>(), gate(), gate()]
    let signal: AbortSignal | undefined
    const handler = {
      prepare: () => preparing.opened,
      apply: (_: never, __: never, context: Context) => {
        signal = context.signal
        return applying.opened
      },
    }
    const renew = vi.fn(() => renewing.opened)
    const options = { handlers: { 'invoice.paid': handler } }
    const { inbox, signals } = createProcess({ clock, store: { ...store, renew } }, options)
    await inbox.receive(await accepted())
    const drained = inbox.drain({ maxEvents: 1 })
    await vi.advanceTimersByTimeAsync(LEASE_MS / 2)
    expect(renew).toHaveBeenCalledOnce()
    preparing.open()
    await vi.waitFor(() => expect(signal).toBeDefined())
    // As a database answers that waited for the row's lock.
    renewing.open(false)
    await vi.advanceTimersByTimeAsync(LEASE_MS)
    expect([signal?.aborted, renew.mock.calls.length]).toEqual([false, 1])
    applying.open()
    await drained
    expect(outcomes(signals)).toEqual(['done'])
  })

  test('does not keep an attempt that never ends: it counts as failed', async () => {
    vi.useFakeTimers()
    const { opened } = gate()
    const options = handling(async () => {}, { attemptMs: 60_000 })
    const handlers = {
      'invoice.paid': { ...options.handlers['invoice.paid'], prepare: () => opened },
    }
    const { inbox, signals } = createProcess(createDatabase(), { ...options, handlers })
    await inbox.receive(await accepted())
    const drained = inbox.drain({ maxEvents: 1 })
    await vi.advanceTimersByTimeAsync(60_000)
    await drained
    expect(signals).toMatchObject([
      { outcome: 'retry', error: new Error('took longer than 60000 ms') },
    ])
  })
})

describe('an attempt that takes too long', () => {
  const limits = { attemptMs: 60_000, maxClaims: 3 }

  test('in apply is rolled back, made again, and books nothing when it goes on', async () => {
    vi.useFakeTimers()
    const { clock, store } = createDatabase()
    const booked: number[] = []
    const [begun, hanging] = [gate(), gate()]
    let zombie: Promise<unknown> = Promise.resolve()
    const apply: Apply = async (tx, _, { once, attempt }) => {
      const book = async () => {
        if (!(await once('fulfil'))) return
        if (attempt === 1) {
          begun.open()
          await hanging.opened
        }
        booked.push(attempt)
        tx.onRollback(() => booked.splice(booked.indexOf(attempt), 1))
        await once('label')
      }
      zombie = attempt === 1 ? book() : zombie
      return attempt === 1 ? zombie : book()
    }
    const { inbox, signals } = createProcess({ clock, store }, handling(apply as never, limits))
    await inbox.receive(await accepted())
    const drained = inbox.drain()
    await begun.opened
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await drained).toBe(2)
    expect(signals).toMatchObject([
      { outcome: 'retry', attempt: 1, error: new Error('took longer than 60000 ms') },
      { outcome: 'done', attempt: 2 },
    ])
    hanging.open()
    await expect(zombie).rejects.toMatchObject({ code: 'apply_async' })
    expect(booked).toEqual([2])
  })

  test('in prepare books nothing when it comes to apply after all', async () => {
    vi.useFakeTimers()
    const { opened, open } = gate()
    const apply = vi.fn(async () => {})
    const handlers = { 'invoice.paid': { prepare: () => opened, apply } }
    const options = { handlers, attemptMs: 60_000, backoff: () => 5_000 }
    const { inbox, signals } = createProcess(createDatabase(), options)
    await inbox.receive(await accepted())
    const drained = inbox.drain()
    await vi.advanceTimersByTimeAsync(60_000)
    await drained
    open()
    await vi.advanceTimersByTimeAsync(0)
    expect(outcomes(signals)).toEqual(['retry'])
    expect(apply).not.toHaveBeenCalled()
    expect(await inbox.stats()).toMatchObject({ waiting: 1 })
  })

  /** A store that cannot end a transaction before its `apply` ends, as some drivers. */
  function patient() {
    const { clock, store } = createDatabase()
    const settle: typeof store.settle = (claim, apply) => store.settle(claim, apply)
    return { clock, store: { ...store, settle } }
  }

  test('frees its place even where its transaction cannot be ended, and is rolled back then', async () => {
    vi.useFakeTimers()
    const database = patient()
    const [begun, hanging] = [gate(), gate()]
    const booked: number[] = []
    const apply: Apply = async (tx, _, { attempt }) => {
      booked.push(attempt)
      tx.onRollback(() => booked.pop())
      if (attempt > 1) return
      begun.open()
      await hanging.opened
    }
    const { inbox, signals } = createProcess(database, handling(apply as never, limits))
    await inbox.receive(await accepted())
    const drained = inbox.drain({ maxEvents: 1 })
    await begun.opened
    await vi.advanceTimersByTimeAsync(60_000 + LEASE_MS)
    expect(await drained).toBe(1)
    expect(signals).toMatchObject([
      { kind: 'store_failure', operation: 'give_back' },
      { outcome: 'lost', error: new Error('took longer than 60000 ms') },
    ])
    hanging.open()
    await vi.advanceTimersByTimeAsync(0)
    expect(booked).toEqual([])
    await inbox.drain()
    expect(booked).toEqual([2])
    expect(outcomes(signals)).toEqual(['lost', 'done'])
  })

  test('is done all the same if its commit was on its way', async () => {
    vi.useFakeTimers()
    const { clock, store } = createDatabase()
    const [committing, committed] = [gate(), gate()]
    const settle: typeof store.settle = async (claim, apply) => {
      const result = await store.settle(claim, apply)
      committing.open()
      await committed.opened
      return result
    }
    const options = handling(async () => {}, limits)
    const { inbox, signals } = createProcess({ clock, store: { ...store, settle } }, options)
    await inbox.receive(await accepted())
    const drained = inbox.drain()
    await committing.opened
    await vi.advanceTimersByTimeAsync(60_000)
    await drained
    expect(signals).toMatchObject([{ kind: 'process', outcome: 'done', attempt: 1 }])
    expect(signals[0]).not.toHaveProperty('error')
  })

  test('does not keep stop waiting', async () => {
    vi.useFakeTimers()
    const begun = gate()
    const apply = () => {
      begun.open()
      return gate().opened
    }
    const { inbox, signals } = createProcess(patient(), handling(apply))
    await inbox.receive(await accepted())
    inbox.start()
    await begun.opened
    const stopped = inbox.stop({ timeoutMs: 5_000 })
    await vi.advanceTimersByTimeAsync(7_000)
    expect(await stopped).toBe(false)
    await vi.advanceTimersByTimeAsync(LEASE_MS)
    expect(outcomes(signals)).toEqual(['lost'])
  })
})

test('a commit whose reply is lost is told as done', async () => {
  const { clock, store } = createDatabase()
  const failing = faultyStore(store, [{ operation: 'settle', point: 'after', kind: 'throws' }])
  const { inbox, signals } = createProcess(
    { clock, store: failing },
    handling(async () => 'stale'),
  )
  await inbox.receive(await accepted())
  await inbox.drain()
  expect(outcomes(signals)).toEqual(['stale'])
})

test('what a failing store says of its rows is not told', async () => {
  const { clock, store } = createDatabase()
  const error = Object.assign(new Error('duplicate key'), {
    code: '23505',
    detail: 'Key (name)=(Ada) already exists.',
    where: 'Ada',
    parameters: ['Ada'],
  })
  const record = () => Promise.reject(error)
  const { inbox, signals } = createProcess({ clock, store: { ...store, record } }, {})
  await inbox.receive(await accepted())
  expect(signals).toMatchObject([{ error: { message: 'duplicate key', code: '23505' } }])
  const [told] = signals.map((signal) => ('error' in signal ? signal.error : undefined))
  expect(told).toBeInstanceOf(Error)
  expect(Object.keys(told as object)).toEqual(['code'])
})

const hostile = {
  get message() {
    throw new Error('no message')
  },
}
const THROWN: readonly [name: string, thrown: unknown, told: unknown][] = [
  ['text', 'away', 'away'],
  ['nothing', undefined, undefined],
  ['what cannot be read', hostile, new Error('an error without a description')],
]
test.each(THROWN)('a store that throws %s is told of', async (_, thrown, told) => {
  const { clock, store } = createDatabase()
  const record = () => Promise.reject(thrown)
  const { inbox, signals } = createProcess({ clock, store: { ...store, record } }, {})
  expect(await inbox.receive(await accepted())).toMatchObject({ status: 503 })
  expect(signals).toEqual([{ kind: 'store_failure', operation: 'record', error: told }])
})

describe('without a listener', () => {
  let lines: unknown[][]
  beforeEach(() => {
    lines = []
    vi.spyOn(console, 'error').mockImplementation((...line) => {
      lines.push(line)
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test('an attempt that fails is a line, and one that does not is none', async () => {
    const apply = vi.fn().mockRejectedValueOnce(new TypeError('no\nstock')).mockResolvedValue(null)
    const { inbox } = createProcess(createDatabase(), handling(apply, { onSignal: undefined }))
    await inbox.receive(await accepted())
    await inbox.drain()
    expect(lines).toEqual([
      ['inbox: retry: "evt_1", "invoice.paid", attempt 1: TypeError: no stock'],
    ])
  })

  test('an anomaly is a line, and an id cannot break it', async () => {
    const { inbox } = createProcess(createDatabase(), { onSignal: undefined })
    const id = 'evt_"\u2028inbox: done'
    await inbox.receive(await accepted({ id }))
    await inbox.receive(await accepted({ id, data: {} }))
    expect(lines).toEqual([['inbox: body_differs: "evt_\\" inbox: done", "invoice.paid"']])
  })

  test('a store that fails again and again is one line', async () => {
    const { clock, store } = createDatabase()
    const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' })
    const record = () => Promise.reject(refused)
    const options = { onSignal: undefined }
    const { inbox } = createProcess({ clock, store: { ...store, record } }, options)
    for (let i = 0; i < 3; i++) await inbox.receive(await accepted())
    expect(lines).toEqual([['inbox: the store failed at record: AggregateError: ECONNREFUSED']])
  })
})

describe('start and stop', () => {
  test('what is recorded in this process is begun at once', async () => {
    const { opened, open } = gate()
    const apply = async () => open()
    const { inbox } = createProcess(createDatabase(), handling(apply, { pollMs: 3_600_000 }))
    inbox.start()
    inbox.start()
    await settled()
    await inbox.receive(await accepted())
    await opened
    expect(await inbox.stop()).toBe(true)
    expect(await inbox.find({ outcome: 'done' })).toHaveLength(1)
  })

  test('what another process recorded is begun at the next poll', async () => {
    const database = createDatabase()
    const { opened, open } = gate()
    const { inbox } = createProcess(
      database,
      handling(async () => open(), { pollMs: 1 }),
    )
    inbox.start()
    await settled()
    await createProcess(database, {}).inbox.receive(await accepted())
    await opened
    expect(await inbox.stop()).toBe(true)
  })

  test('no more run at a time than concurrency says, and each end begins another', async () => {
    let [running, most] = [0, 0]
    const all = gate()
    let left = 50
    const prepare = async () => {
      most = Math.max(most, ++running)
      await settled()
      running--
      if (--left === 0) all.open()
    }
    const handlers = { 'invoice.paid': { prepare, apply: async () => {} } }
    const options = { handlers, concurrency: 3, pollMs: 3_600_000 }
    const { inbox } = createProcess(createDatabase(), options)
    for (let i = 0; i < 50; i++) await inbox.receive(await accepted({ id: `evt_${i}` }))
    inbox.start()
    await all.opened
    await inbox.stop()
    expect(most).toBe(3)
    expect(await inbox.find({ outcome: 'done' })).toHaveLength(50)
  })

  test('stop waits for what is running, and begins nothing more', async () => {
    const { opened, open } = gate()
    const begun = gate()
    const prepare = () => {
      begun.open()
      return opened
    }
    const handlers = { 'invoice.paid': { prepare, apply: async () => {} } }
    const { inbox } = createProcess(createDatabase(), { handlers, concurrency: 1 })
    for (const id of ['evt_1', 'evt_2']) await inbox.receive(await accepted({ id }))
    inbox.start()
    await begun.opened
    const stopped = inbox.stop()
    open()
    expect(await stopped).toBe(true)
    expect(await inbox.find({ outcome: 'done' })).toHaveLength(1)
    expect(await inbox.stats()).toMatchObject({ due: 1, waiting: 0 })
  })

  test('what stop does not wait for is cancelled and given back for another process', async () => {
    const begun = gate()
    let signal: AbortSignal | undefined
    const prepare = (_: never, context: Context) => {
      signal = context.signal
      begun.open()
      return gate().opened
    }
    const handlers = { 'invoice.paid': { prepare, apply: async () => {} } }
    const { inbox, signals } = createProcess(createDatabase(), { handlers, backoff: () => 1000 })
    await inbox.receive(await accepted())
    inbox.start()
    await begun.opened
    expect(await inbox.stop({ timeoutMs: 10 })).toBe(false)
    expect(signal?.aborted).toBe(true)
    expect(outcomes(signals)).toEqual(['retry'])
    expect(await inbox.stats()).toMatchObject({ due: 1 })
  })

  test('a store that fails is told of, and asked again', async () => {
    const { clock, store } = createDatabase()
    const { opened, open } = gate()
    const faults: Fault[] = [
      { operation: 'claim', point: 'before', kind: 'throws', call: 1 },
      { operation: 'claim', point: 'before', kind: 'throws', call: 2 },
      { operation: 'stats', point: 'before', kind: 'throws' },
      { operation: 'purge', point: 'before', kind: 'throws' },
    ]
    const failing = faultyStore(store, faults)
    const options = handling(async () => open(), { pollMs: 1 })
    const { inbox, signals } = createProcess({ clock, store: failing }, options)
    await inbox.receive(await accepted())
    inbox.start()
    await opened
    await inbox.stop()
    const told = signals.flatMap((signal) =>
      signal.kind === 'store_failure' ? [[signal.operation, `${signal.error}`]] : [],
    )
    const error = `Error: ${BROKEN}`
    expect(told.sort()).toEqual([
      ['claim', error],
      ['claim', error],
      ['purge', error],
      ['stats', error],
    ])
  })

  test('start tells the backlog and purges', async () => {
    const { time, clock, store } = createDatabase()
    const { inbox, signals } = createProcess({ clock, store }, { handlers: {} })
    await inbox.receive(await accepted())
    await inbox.drain()
    time.now += 31 * 86_400_000
    inbox.start()
    await settled()
    await inbox.stop()
    expect(signals.slice(1)).toEqual([
      { kind: 'backlog', due: 0, waiting: 0, dead: 0, oldestDueMs: undefined },
      { kind: 'purge', redacted: 1, deleted: 0 },
    ])
  })
})

describe('drain', () => {
  test('works on all that is due, the oldest first, and on no more than it is told', async () => {
    const { time, clock, store } = createDatabase()
    const seen: string[] = []
    const apply: Apply = async (_, event) => seen.push((event as { event_id: string }).event_id)
    const { inbox } = createProcess({ clock, store }, handling(apply, { concurrency: 2 }))
    for (const id of ['c', 'a', 'e', 'b', 'd']) {
      await inbox.receive(await accepted({ id }))
      time.now++
    }
    expect(await inbox.drain({ maxEvents: 3 })).toBe(3)
    expect(await inbox.drain({ maxMs: 0 })).toBe(0)
    expect(seen).toEqual(['c', 'a', 'e'])
    expect(await inbox.drain()).toBe(2)
    expect(seen).toEqual(['c', 'a', 'e', 'b', 'd'])
  })

  test('takes a retry when its turn has come', async () => {
    const { time, clock, store } = createDatabase()
    const seen: string[] = []
    const apply: Apply = async (_, event, { attempt }) => {
      const { event_id: id } = event as { event_id: string }
      if (id === 'evt_1' && attempt === 1) throw new Error('once')
      seen.push(id)
    }
    const options = handling(apply, { concurrency: 1, backoff: () => 10_000 })
    const { inbox } = createProcess({ clock, store }, options)
    await inbox.receive(await accepted({ id: 'evt_1' }))
    await inbox.drain()
    time.now += 5_000
    await inbox.receive(await accepted({ id: 'evt_2' }))
    time.now += 5_000
    expect(await inbox.drain()).toBe(2)
    expect(seen).toEqual(['evt_2', 'evt_1'])
  })

  test('rejects when the store fails, for cron to say so', async () => {
    const { clock, store } = createDatabase()
    const failing = faultyStore(store, [{ operation: 'claim', point: 'before', kind: 'throws' }])
    await expect(createProcess({ clock, store: failing }, {}).inbox.drain()).rejects.toThrow(BROKEN)
  })

  test('begins nothing more once the process stops', async () => {
    const { opened, open } = gate()
    const begun = gate()
    const prepare = () => {
      begun.open()
      return opened
    }
    const handlers = { 'invoice.paid': { prepare, apply: async () => {} } }
    const { inbox } = createProcess(createDatabase(), { handlers, concurrency: 1 })
    for (const id of ['evt_1', 'evt_2']) await inbox.receive(await accepted({ id }))
    const drained = inbox.drain()
    await begun.opened
    const stopped = inbox.stop()
    open()
    expect([await drained, await stopped]).toEqual([1, true])
  })
})
