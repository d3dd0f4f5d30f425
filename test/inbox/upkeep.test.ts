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
      { level: 'warning', what: '1 deliveries are dead', fix: expect.stringContaining('redrive') },
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
