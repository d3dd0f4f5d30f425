import { describe, expect, test } from 'vitest'
import type { MemoryTransaction } from '../../dist/inbox/index.js'
import { accepted, createDatabase, createProcess, eventText } from './bench.ts'

const DAY = 86_400_000
const done = { default: { apply: async () => {} } }

describe('purge', () => {
  test('takes the bodies of what was settled 30 days ago, and rows after 400', async () => {
    const { time, clock, store } = createDatabase()
    const { inbox } = createProcess({ clock, store }, { handlers: done })
    await inbox.receive(await accepted())
    await inbox.drain()
    time.now += 30 * DAY
    expect(await inbox.purge()).toEqual({ redacted: 0, deleted: 0 })
    time.now += 1
    expect(await inbox.purge()).toEqual({ redacted: 1, deleted: 0 })
    expect(await inbox.find({})).toMatchObject([{ id: 'evt_1', body: undefined, outcome: 'done' }])
    expect(await inbox.receive(await accepted())).toMatchObject({ outcome: 'duplicate' })
    time.now += 370 * DAY
    expect(await inbox.purge()).toEqual({ redacted: 0, deleted: 1 })
    expect(await inbox.find({})).toEqual([])
  })

  test('keeps for ever what is to be kept, and what is due or dead', async () => {
    const { time, clock, store } = createDatabase()
    const failing = { default: { apply: () => Promise.reject(new Error('poison')) } }
    const retention = { bodyDays: Number.POSITIVE_INFINITY, idDays: Number.POSITIVE_INFINITY }
    const keeping = createProcess({ clock, store }, { handlers: done, retention }).inbox
    await keeping.receive(await accepted({ id: 'evt_kept' }))
    await keeping.drain()
    const { inbox } = createProcess({ clock, store }, { handlers: failing, maxClaims: 1 })
    await inbox.receive(await accepted({ id: 'evt_dead' }))
    await inbox.drain()
    time.now++
    await inbox.receive(await accepted({ id: 'evt_due' }))
    time.now += 10_000 * DAY
    expect(await keeping.purge()).toEqual({ redacted: 0, deleted: 0 })
    expect(await inbox.purge()).toEqual({ redacted: 1, deleted: 1 })
    const left = await inbox.find({})
    expect(left.map(({ id, body }) => [id, body])).toEqual([
      ['evt_due', eventText({ id: 'evt_due' })],
      ['evt_dead', eventText({ id: 'evt_dead' })],
    ])
  })

  test('asks the store for nothing that is kept for ever', async () => {
    const { clock, store } = createDatabase()
    const orders: object[] = []
    const purge = async (order: object) => {
      orders.push(order)
      return { redacted: 0, deleted: 0 }
    }
    const retention = { bodyDays: 1, idDays: Number.POSITIVE_INFINITY }
    await createProcess({ clock, store: { ...store, purge } }, { retention }).inbox.purge()
    expect(orders).toEqual([
      {
        redactOlderMs: DAY,
        redactDeadOlderMs: undefined,
        deleteOlderMs: undefined,
        limit: 1000,
      },
    ])
  })

  test('takes the bodies of a resource at once, and keeps the ids', async () => {
    const { inbox } = createProcess(createDatabase(), { handlers: done })
    for (const id of ['evt_1', 'evt_2']) await inbox.receive(await accepted({ id }))
    const other = { id: 'evt_3', data: { invoice_id: 'inv_2' } }
    await inbox.receive(await accepted(other))
    await inbox.drain()
    expect(await inbox.purge({ resourceIds: ['inv_1'] })).toEqual({ redacted: 2, deleted: 0 })
    const rows = await inbox.find({})
    expect(rows.filter(({ body }) => body !== undefined).map(({ id }) => id)).toEqual(['evt_3'])
    expect(await inbox.receive(await accepted())).toMatchObject({ outcome: 'duplicate' })
  })

  test('goes on until nothing is left, a batch at a time', async () => {
    const { time, clock, store } = createDatabase()
    const left = [1000, 1000, 3]
    const limits: number[] = []
    const purge = async ({ limit }: { limit: number }) => {
      limits.push(limit)
      return { redacted: left.shift() ?? 0, deleted: 0 }
    }
    const { inbox, signals } = createProcess({ clock, store: { ...store, purge } }, {})
    time.now += DAY
    expect(await inbox.purge()).toEqual({ redacted: 2003, deleted: 0 })
    expect(limits).toEqual([1000, 1000, 1000, 1000])
    expect(signals).toEqual([{ kind: 'purge', redacted: 2003, deleted: 0 }])
  })
})

describe('an order', () => {
  const dead = { default: { apply: () => Promise.reject(new Error('poison')) } }
  async function settledOne(handlers: object) {
    const { inbox } = createProcess(createDatabase(), { handlers, maxClaims: 1 })
    await inbox.receive(await accepted())
    await inbox.drain()
    return inbox
  }

  const REDRIVES = [
    { id: 'evt_1' },
    { ids: undefined },
    { ids: 'evt_1' },
    { ids: [undefined] },
    { idz: ['evt_1'] },
    { outcome: 'done', ids: ['evt_1'] },
    { outcome: 'ignored' },
    { claims: '3' },
    null,
  ]
  test.each(REDRIVES)('redrive(%j) is refused, and redrives nothing', async (order) => {
    const inbox = await settledOne(dead)
    await expect(inbox.redrive(order as never)).rejects.toThrow(
      expect.objectContaining({ name: 'WebhookConfigError' }),
    )
    expect(await inbox.find({ outcome: 'dead' })).toHaveLength(1)
  })

  const PURGES = [
    {},
    { resourceIds: undefined },
    { resourceIds: 'inv_1' },
    { resourceIds: [null] },
    { resourceId: 'inv_1' },
    null,
  ]
  test.each(PURGES)('purge(%j) is refused, and purges nothing', async (order) => {
    const inbox = await settledOne(done)
    await expect(inbox.purge(order as never)).rejects.toThrow(
      expect.objectContaining({ name: 'WebhookConfigError' }),
    )
    expect((await inbox.find({}))[0]?.body).toBeDefined()
  })

  test('of what nobody takes is refused', async () => {
    const inbox = await settledOne(done)
    for (const [method, order] of [
      ['find', { ids: ['evt_1'] }],
      ['find', { id: null }],
      ['drain', { limit: 1 }],
      ['reconcile', { resources: [], onse: 'fulfil' }],
    ] as const) {
      const call = inbox[method] as (order: object) => Promise<unknown>
      await expect(call(order)).rejects.toMatchObject({ name: 'WebhookConfigError' })
    }
  })

  test('takes ids as they were sent, however they are stored', async () => {
    const [id, invoice_id] = [`evt_${'x'.repeat(300)}`, `inv_\u0000`]
    const handlers = {
      'invoice.paid': {
        async apply(_: unknown, __: unknown, { once, attempt }: never) {
          await (once as (name: string) => Promise<boolean>)('fulfil')
          if (attempt === 1) throw new Error('poison')
        },
      },
    }
    const { inbox } = createProcess(createDatabase(), { handlers, maxClaims: 1 })
    await inbox.receive(await accepted({ id, data: { invoice_id } }))
    await inbox.drain()
    const [row] = await inbox.find({ id })
    expect(row?.id).toMatch(/^sha256:/u)
    expect(await inbox.find({ id: row?.id ?? '' })).toEqual([row])
    expect(await inbox.find({ resourceId: invoice_id })).toEqual([row])
    expect(await inbox.redrive({ ids: [id] })).toBe(1)
    await inbox.drain()
    const resources = [{ kind: 'invoice', id: invoice_id }]
    expect(await inbox.reconcile({ resources, once: 'fulfil' })).toEqual({ checked: 1, found: [] })
    expect(await inbox.purge({ resourceIds: [invoice_id] })).toEqual({ redacted: 1, deleted: 0 })
  })

  test('brings back what was ignored, for a handler that takes it now', async () => {
    const database = createDatabase()
    const before = createProcess(database, { handlers: {} }).inbox
    for (const id of ['evt_1', 'evt_2']) await before.receive(await accepted({ id }))
    await before.drain()
    const { inbox } = createProcess(database, { handlers: done })
    const ids = (await inbox.find({ outcome: 'ignored' })).map(({ id }) => id)
    expect(await inbox.redrive({ ids, outcome: 'stale' })).toBe(0)
    expect(await inbox.redrive({ ids, outcome: 'ignored' })).toBe(2)
    expect(await inbox.drain()).toBe(2)
    expect(await inbox.find({ outcome: 'done' })).toHaveLength(2)
  })
})

test('what fails again at once is redriven once', async () => {
  const { clock, store } = createDatabase()
  const orders: object[] = []
  const again = {
    ...store,
    find: async () => [{ id: 'evt_1' }],
    redrive: async (order: object) => orders.push(order),
  }
  const { inbox } = createProcess({ clock, store: again as never }, {})
  expect(await inbox.redrive({ claims: 2 })).toBe(1)
  expect(orders).toEqual([{ ids: ['evt_1'], outcome: 'dead', claims: 2 }])
})

test('what is redriven is not stale to the state that it left itself', async () => {
  const database = createDatabase()
  interface Context {
    readonly advance: () => Promise<string>
    readonly once: (name: string) => Promise<boolean>
  }
  let isRepaired = false
  const booked: string[] = []
  const handlers = {
    'invoice.paid': {
      async apply(_: unknown, { event_id }: { event_id: string }, { advance, once }: Context) {
        if ((await advance()) === 'stale') return 'stale'
        if (!isRepaired) return 'ignored'
        if (await once('fulfil')) booked.push(event_id)
        return undefined
      },
    },
  }
  const { inbox } = createProcess(database, { handlers })
  for (const id of ['evt_1', 'evt_2']) {
    await inbox.receive(await accepted({ id }))
    await inbox.drain()
  }
  // The second told the same of the invoice.
  expect(await inbox.find({ outcome: 'stale' })).toMatchObject([{ id: 'evt_2' }])
  isRepaired = true
  expect(await inbox.redrive({ ids: ['evt_1'], outcome: 'ignored' })).toBe(1)
  await inbox.drain()
  expect(booked).toEqual(['evt_1'])
})

describe('reconcile', () => {
  const invoice = (id: string) => ({ kind: 'invoice', id })

  /** Books by the invoice, unless it is told to forget one. */
  async function shop(forgotten?: string) {
    const booked: string[] = []
    const handlers = {
      'invoice.paid': {
        async apply(tx: MemoryTransaction, event: Event, { once }: Context) {
          const { invoice_id: id } = event.data
          if (id === forgotten) return
          if (!(await once('fulfil'))) return
          booked.push(id)
          tx.onRollback(() => booked.pop())
        },
      },
    }
    const { inbox } = createProcess(createDatabase(), { handlers, maxClaims: 1 })
    const deliver = async (id: string, invoice_id: string, type = 'invoice.paid') => {
      await inbox.receive(await accepted({ id, type, data: { invoice_id } }))
    }
    await deliver('evt_1', 'inv_1')
    // Through two endpoints.
    await deliver('evt_2a', 'inv_2')
    await deliver('evt_2b', 'inv_2')
    // Its payment never came.
    await deliver('evt_3', 'inv_3', 'invoice.confirming')
    await inbox.drain()
    // Recorded, and not worked on yet.
    await deliver('evt_4', 'inv_4')
    return { inbox, booked }
  }
  interface Event {
    readonly data: { readonly invoice_id: string }
  }
  interface Context {
    readonly once: (name: string) => Promise<boolean>
  }
  const PAID = ['inv_1', 'inv_2', 'inv_3', 'inv_4', 'inv_5'].map(invoice)

  test('tells what never came, and what came and is not booked', async () => {
    const { inbox } = await shop()
    const { checked, found } = await inbox.reconcile({ resources: PAID, once: 'fulfil' })
    expect(checked).toBe(5)
    expect(found).toMatchObject([
      {
        kind: 'unbooked',
        resource: invoice('inv_3'),
        deliveries: [{ type: 'invoice.confirming' }],
      },
      { kind: 'unbooked', resource: invoice('inv_4'), deliveries: [{ outcome: undefined }] },
      { kind: 'missing', resource: invoice('inv_5'), effects: 0, deliveries: [] },
    ])
  })

  test("takes the provider's pages as they come, and your own count of bookings", async () => {
    const { inbox } = await shop('inv_1')
    async function* pages() {
      for (const { id } of PAID) yield { ...invoice(id), total: '5.00' }
    }
    const effects = async ({ id }: { id: string }) =>
      ({ inv_2: 2, inv_3: 1, inv_4: 1, inv_5: 1 })[id] ?? 0
    const { found } = await inbox.reconcile({ resources: pages(), effects })
    expect(found).toMatchObject([
      { kind: 'unbooked', resource: { id: 'inv_1', total: '5.00' }, effects: 0 },
      { kind: 'double', resource: { id: 'inv_2' }, effects: 2, deliveries: [{}, {}] },
      // Booked by hand: nothing to do, but to find out why nothing came.
      { kind: 'missing', resource: { id: 'inv_5' }, effects: 1 },
    ])
  })

  test('tells a resource of another kind with the same id apart', async () => {
    const { inbox } = await shop()
    const resources = [{ kind: 'withdrawal', id: 'inv_1' }]
    const { found } = await inbox.reconcile({ resources, once: 'fulfil' })
    expect(found).toMatchObject([{ kind: 'missing' }])
  })

  test('needs to know what counts as booked', async () => {
    const { inbox } = await shop()
    await expect(inbox.reconcile({ resources: [] })).rejects.toMatchObject({
      code: 'inbox_invalid',
    })
  })
})

describe('check', () => {
  test('says what the store finds, what is dead, and what waits for nobody', async () => {
    const { time, clock, store } = createDatabase()
    const failing = { default: { apply: () => Promise.reject(new Error('poison')) } }
    const { inbox } = createProcess({ clock, store }, { handlers: failing, maxClaims: 1 })
    const [own] = await inbox.check()
    expect(own?.what).toContain('memoryStore')
    expect(await inbox.check()).toHaveLength(1)
    await inbox.receive(await accepted())
    await inbox.drain()
    await inbox.receive(await accepted({ id: 'evt_2' }))
    time.now += 301_000
    expect(await inbox.check()).toEqual([
      own,
      { level: 'warning', what: 'dead deliveries: 1', fix: expect.stringContaining('redrive') },
      {
        level: 'warning',
        what: 'a delivery has been due for 301 s',
        fix: expect.stringContaining('start()'),
      },
    ])
  })

  test('asks no more of a store whose tables are wrong', async () => {
    const { clock, store } = createDatabase()
    const missing = { level: 'error', what: 'no table', fix: 'migrate()' } as const
    const stats = () => Promise.reject(new Error('no table'))
    const broken = { ...store, stats, check: async () => [missing] }
    const { inbox } = createProcess({ clock, store: broken }, {})
    expect(await inbox.check()).toEqual([missing])
  })
})
