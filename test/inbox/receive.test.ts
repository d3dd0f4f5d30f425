import { createHash } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { createInbox, memoryStore } from '../../dist/inbox/index.js'
import { WebhookConfigError } from '../../dist/index.js'
import { github } from '../../dist/schemes/github.js'
import { meta } from '../../dist/schemes/meta.js'
import { stripe } from '../../dist/schemes/stripe.js'
import {
  accepted,
  acceptedText,
  createDatabase,
  createProcess,
  eventText,
  gate,
  LEASE_MS,
  NOW,
  outcomes,
  settled,
} from './bench.ts'
import { BROKEN, faultyStore } from './faulty-store.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('a delivery', () => {
  test('is recorded once, and a duplicate ever after, settled or not', async () => {
    const database = createDatabase()
    const { inbox } = createProcess(database, {})
    const delivery = await accepted()
    expect(await inbox.receive(delivery)).toEqual({ status: 202, outcome: 'recorded' })
    expect(await inbox.receive(delivery)).toEqual({ status: 200, outcome: 'duplicate' })
    expect(await inbox.drain()).toBe(1)
    expect(await inbox.receive(delivery)).toEqual({ status: 200, outcome: 'duplicate' })
    expect(await inbox.find({})).toHaveLength(1)
  })

  test('is a row of what was verified, with the text of its body', async () => {
    const database = createDatabase()
    const { inbox } = createProcess(database, {})
    const body = ` ${eventText({ data: { invoice_id: 'inv_1', note: 'Grüße 🧾' } })}\n`
    await inbox.receive(await acceptedText(body), {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    })
    const [claim] = await database.store.claim({ limit: 1, leaseMs: LEASE_MS })
    expect(claim).toMatchObject({
      id: 'evt_1',
      type: 'invoice.paid',
      resource: { kind: 'invoice', id: 'inv_1' },
      occurredAt: NOW,
      body,
      bodySha256: sha256(body),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      claims: 1,
      claimLimit: 10,
      receivedAt: NOW * 1000,
    })
  })

  test('whose traceparent is none keeps none', async () => {
    const database = createDatabase()
    const { inbox } = createProcess(database, {})
    await inbox.receive(await accepted(), { traceparent: `00-${'0'.repeat(5000)}` })
    const [claim] = await database.store.claim({ limit: 1, leaseMs: LEASE_MS })
    expect(claim?.traceparent).toBeUndefined()
  })

  test('with a known id and another body is a duplicate that is told of', async () => {
    const { inbox, signals } = createProcess(createDatabase(), {})
    await inbox.receive(await accepted())
    const other = await accepted({ data: { invoice_id: 'inv_1', more: true } })
    expect(await inbox.receive(other)).toEqual({ status: 200, outcome: 'duplicate' })
    expect(signals).toEqual([
      {
        kind: 'anomaly',
        what: 'body_differs',
        delivery: {
          id: 'evt_1',
          type: 'invoice.paid',
          resource: { kind: 'invoice', id: 'inv_1' },
        },
      },
    ])
  })

  test.each([3, 16, 64])('that comes %i times at once is recorded once', async (copies) => {
    const { inbox } = createProcess(createDatabase(), {})
    const delivery = await accepted()
    const answers = await Promise.all(Array.from({ length: copies }, () => inbox.receive(delivery)))
    expect(answers.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(copies - 1)
  })

  test('gives its handler the same JSON, whatever is escaped in it', async () => {
    const seen: unknown[] = []
    const { inbox } = createProcess(createDatabase(), {
      handlers: {
        'invoice.paid': { apply: async (_: unknown, event: unknown) => seen.push(event) },
      },
    })
    const body = eventText().replace(
      '"inv_1"',
      String.raw`"inv_1","nul":"\u0000","lone":"\ud800","pair":"\ud83e\uddfe"`,
    )
    await inbox.receive(await acceptedText(body))
    await inbox.drain()
    expect(seen).toEqual([JSON.parse(body)])
    // No text of an accepted body holds the character itself, which databases refuse.
    expect((await inbox.find({}))[0]?.body).not.toContain('\0')
    await expect(acceptedText(eventText().replace('inv_1', '\0'))).rejects.toThrow('JSON')
  })

  const ODD_IDS: readonly [name: string, id: string][] = [
    ['a NUL', 'evt_\0'],
    ['a lone surrogate', 'evt_\ud800'],
    ['more characters than a database indexes', 'x'.repeat(257)],
  ]
  test.each(ODD_IDS)('whose id has %s is kept under its hash', async (_, id) => {
    const { inbox } = createProcess(createDatabase(), {})
    expect(await inbox.receive(await accepted({ id }))).toMatchObject({ status: 202 })
    expect(await inbox.receive(await accepted({ id }))).toMatchObject({ status: 200 })
    expect(await inbox.find({})).toMatchObject([{ id: `sha256:${sha256(JSON.stringify(id))}` }])
  })

  test('of a type that has no handler is settled as ignored', async () => {
    const { inbox } = createProcess(createDatabase(), {
      handlers: { 'invoice.paid': { apply: async () => {} } },
    })
    for (const type of ['refund.created', 'constructor', '__proto__', 'toString']) {
      const delivery = await accepted({ id: `evt_${type}`, type })
      expect(await inbox.receive(delivery)).toMatchObject({ status: 202 })
    }
    expect(await inbox.drain()).toBe(4)
    expect(await inbox.find({ outcome: 'ignored' })).toHaveLength(4)
  })

  test('of such a type goes to the default handler, if there is one', async () => {
    const apply = vi.fn(async () => undefined)
    const { inbox } = createProcess(createDatabase(), { handlers: { default: { apply } } })
    await inbox.receive(await accepted({ type: 'refund.created' }))
    await inbox.drain()
    expect(apply).toHaveBeenCalledOnce()
    expect(await inbox.find({ outcome: 'done' })).toHaveLength(1)
  })
})

test('handlers are those that createInbox was given, whatever becomes of the object', async () => {
  const given: Record<string, object> = { 'invoice.paid': { apply: async () => {} } }
  const { inbox } = createProcess(createDatabase(), { handlers: given })
  delete given['invoice.paid']
  await inbox.receive(await accepted())
  await inbox.drain()
  expect(await inbox.find({ outcome: 'done' })).toHaveLength(1)
})

describe('a delivery of another scheme', () => {
  test('is a mistake that is told', async () => {
    const { inbox } = createProcess(createDatabase(), {})
    const delivery = await acceptedText('{"id":"evt_1","type":"a.b"}', { scheme: stripe })
    await expect(inbox.receive(delivery)).rejects.toMatchObject({
      code: 'inbox_invalid',
      message: expect.stringContaining('stripe'),
    })
  })

  test('is taken by an inbox of that scheme', async () => {
    const { inbox } = createProcess(createDatabase(), { scheme: stripe })
    const delivery = await acceptedText('{"id":"evt_1","type":"a.b"}', { scheme: stripe })
    expect(await inbox.receive(delivery)).toEqual({ status: 202, outcome: 'recorded' })
  })

  test('whose id is not signed is refused as a mistake, unless it is said to be known', async () => {
    const push = (id?: string) => acceptedText('{"ref":"a"}', { scheme: github, ...(id && { id }) })
    const strict = createProcess(createDatabase(), { scheme: github }).inbox
    await expect(strict.receive(await push('guid_1'))).rejects.toMatchObject({
      name: 'WebhookConfigError',
      code: 'id_unsigned',
    })
    const open = createProcess(createDatabase(), { scheme: github, acceptUnsignedId: true }).inbox
    expect(await open.receive(await push('guid_1'))).toMatchObject({ status: 202 })
    // The header that carries it may be missing.
    expect(await open.receive(await push())).toEqual({ status: 422, outcome: 'unidentified' })
    expect(await open.find({})).toHaveLength(1)
  })

  test('with parts of their own ids is one row of its bytes, and each part is booked once', async () => {
    const messages = (...ids: string[]) =>
      acceptedText(
        JSON.stringify({
          object: 'page',
          entry: [{ messaging: ids.map((mid) => ({ message: { mid } })) }],
        }),
        { scheme: meta },
      )
    const booked: string[] = []
    const { inbox } = createProcess(createDatabase(), {
      scheme: meta,
      handlers: {
        page: {
          async apply(_: unknown, event: never, context: never) {
            const { once } = context as { once: (...names: string[]) => Promise<boolean> }
            const [entry] = (event as { entry: { messaging: { message: { mid: string } }[] }[] })
              .entry
            for (const { message } of entry?.messaging ?? []) {
              if (await once('reply', message.mid)) booked.push(message.mid)
            }
          },
        },
      },
    })
    expect(await inbox.receive(await messages('m_1', 'm_2'))).toMatchObject({ status: 202 })
    expect(await inbox.receive(await messages('m_1', 'm_2'))).toMatchObject({ status: 200 })
    expect(await inbox.receive(await messages('m_2', 'm_3'))).toMatchObject({ status: 202 })
    // Nothing to dedupe on, such as a receipt of reading.
    expect(await inbox.receive(await messages())).toMatchObject({ status: 202 })
    await inbox.drain()
    expect(booked).toEqual(['m_1', 'm_2', 'm_3'])
  })
})

describe('without a committed row', () => {
  const FAULTS = [
    ['the store refuses', { operation: 'record', point: 'before', kind: 'throws' }],
    ['the reply is lost', { operation: 'record', point: 'after', kind: 'throws' }],
    ['the store does not answer', { operation: 'record', point: 'before', kind: 'hangs' }],
    ['its answer does not come', { operation: 'record', point: 'after', kind: 'hangs' }],
  ] as const

  test.each(FAULTS)('because %s: 503, and the retry is right', async (_, fault) => {
    const { clock, store } = createDatabase()
    const failing = faultyStore(store, [fault])
    const { inbox, signals } = createProcess({ clock, store: failing }, { receiveBudgetMs: 20 })
    const delivery = await accepted()
    expect(await inbox.receive(delivery)).toEqual({ status: 503, outcome: 'unavailable' })
    expect(signals).toMatchObject([{ kind: 'store_failure', operation: 'record' }])
    const isThere = fault.point === 'after'
    const patient = createProcess({ clock, store }, {}).inbox
    expect(await patient.receive(delivery)).toMatchObject({ status: isThere ? 200 : 202 })
    expect(await patient.find({})).toHaveLength(1)
  })

  test('because the store says that its table is missing, the mistake is passed on', async () => {
    const { clock, store } = createDatabase()
    const record = () => Promise.reject(new WebhookConfigError('table_missing', 'run migrate()'))
    const { inbox } = createProcess({ clock, store: { ...store, record } }, {})
    await expect(inbox.receive(await accepted())).rejects.toMatchObject({ code: 'table_missing' })
  })

  test('because onRecord throws: 503, nothing is recorded, and the retry calls it again', async () => {
    const onRecord = vi.fn().mockRejectedValueOnce(new Error('queue away')).mockResolvedValue(null)
    const { inbox, signals } = createProcess(createDatabase(), { onRecord })
    const delivery = await accepted()
    expect(await inbox.receive(delivery)).toMatchObject({ status: 503 })
    expect(signals).toMatchObject([{ error: new Error('queue away') }])
    expect(await inbox.receive(delivery)).toMatchObject({ status: 202 })
    expect(await inbox.receive(delivery)).toMatchObject({ status: 200 })
    expect(onRecord).toHaveBeenCalledTimes(2)
    expect(onRecord.mock.calls[1]).toMatchObject([
      { onRollback: expect.any(Function) },
      { id: 'evt_1', type: 'invoice.paid' },
    ])
  })

  test('because the process stops: 503', async () => {
    const { inbox } = createProcess(createDatabase(), {})
    inbox.start()
    await inbox.stop()
    expect(await inbox.receive(await accepted())).toEqual({ status: 503, outcome: 'unavailable' })
    inbox.start()
    expect(await inbox.receive(await accepted())).toMatchObject({ status: 202 })
    await inbox.stop()
  })

  test('record rejects, for an HTTP layer of your own', async () => {
    const { clock, store } = createDatabase()
    const failing = faultyStore(store, [
      { operation: 'record', point: 'before', kind: 'throws', call: 1 },
    ])
    const { inbox } = createProcess({ clock, store: failing }, {})
    const delivery = await accepted()
    await expect(inbox.record(delivery)).rejects.toThrow(BROKEN)
    expect(await inbox.record(delivery)).toBe('recorded')
    expect(await inbox.record(delivery)).toBe('duplicate')
  })
})

describe('inline', () => {
  const inline = { budgetMs: 20 }
  const handlers = (apply: () => Promise<unknown>) => ({ 'invoice.paid': { apply } })

  test('a delivery that is settled within the budget is answered with 200', async () => {
    const { inbox } = createProcess(createDatabase(), {
      inline: { budgetMs: 60_000 },
      handlers: handlers(async () => {}),
    })
    expect(await inbox.receive(await accepted())).toEqual({ status: 200, outcome: 'settled' })
    expect(await inbox.receive(await accepted({ id: 'evt_2', type: 'a.b' }))).toMatchObject({
      status: 200,
    })
  })

  test('the delivery itself is worked on, whatever else is due', async () => {
    const database = createDatabase()
    await createProcess(database, {}).inbox.receive(await accepted({ id: 'evt_older' }))
    const { inbox } = createProcess(database, {
      inline: { budgetMs: 60_000 },
      handlers: handlers(async () => {}),
    })
    expect(await inbox.receive(await accepted())).toMatchObject({ outcome: 'settled' })
    expect(await inbox.find({ outcome: 'done' })).toMatchObject([{ id: 'evt_1' }])
  })

  test('a delivery that takes longer is answered with 202, and is worked on all the same', async () => {
    const { opened, open } = gate()
    const { inbox, signals } = createProcess(createDatabase(), {
      inline,
      handlers: handlers(() => opened),
    })
    expect(await inbox.receive(await accepted())).toEqual({ status: 202, outcome: 'recorded' })
    open()
    await inbox.stop()
    expect(outcomes(signals)).toEqual(['done'])
  })

  test('a delivery that fails is answered with 202, and is due again', async () => {
    const apply = vi.fn().mockRejectedValueOnce(new Error('once')).mockResolvedValue(undefined)
    const { inbox } = createProcess(createDatabase(), { inline, handlers: handlers(apply) })
    expect(await inbox.receive(await accepted())).toEqual({ status: 202, outcome: 'recorded' })
    expect(await inbox.drain()).toBe(1)
    expect(await inbox.find({ outcome: 'done' })).toHaveLength(1)
  })

  test('a row that cannot be claimed is answered with 202, since it is recorded', async () => {
    const { clock, store } = createDatabase()
    for (const kind of ['throws', 'hangs'] as const) {
      const failing = faultyStore(store, [{ operation: 'claim', point: 'before', kind }])
      const { inbox } = createProcess({ clock, store: failing }, { inline })
      expect(await inbox.receive(await accepted({ id: kind }))).toMatchObject({ status: 202 })
    }
  })
})

describe('the body', () => {
  test('is not stored with body: none, and the handler gets no event', async () => {
    const apply = vi.fn(async () => {})
    const { inbox } = createProcess(createDatabase(), {
      body: 'none',
      handlers: { 'invoice.paid': { apply } },
    })
    const delivery = await accepted()
    await inbox.receive(delivery)
    expect((await inbox.find({}))[0]?.body).toBeUndefined()
    await inbox.drain()
    expect(apply.mock.calls).toMatchObject([
      [expect.anything(), undefined, { attempt: 1 }, undefined],
    ])
    const other = await accepted({ data: {} })
    expect(await inbox.receive(other)).toMatchObject({ outcome: 'duplicate' })
  })

  test('is what redact gives, while its hash is that of the signed bytes', async () => {
    const database = createDatabase()
    const redact = ({ data, ...event }: { data: object }) => ({
      ...event,
      data: { ...data, name: undefined },
    })
    const { inbox, signals } = createProcess(database, { redact })
    const delivery = await accepted({ data: { invoice_id: 'inv_1', name: 'Ada' } })
    await inbox.receive(delivery)
    const [row] = await database.store.claim({ limit: 1, leaseMs: LEASE_MS })
    expect(JSON.parse(row?.body ?? '')).toMatchObject({ data: { invoice_id: 'inv_1' } })
    expect(row?.body).not.toContain('Ada')
    expect(delivery.event.data).toMatchObject({ name: 'Ada' })
    await inbox.receive(delivery)
    expect(signals).toEqual([])
  })

  test('that redact forgets to give is a mistake', async () => {
    const { inbox } = createProcess(createDatabase(), { redact: () => {} })
    await expect(inbox.receive(await accepted())).rejects.toMatchObject({ code: 'inbox_invalid' })
  })
})

const LISTENERS: readonly [name: string, onSignal: () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('log away')
    },
  ],
  ['rejects', () => Promise.reject(new Error('log away'))],
]
test.each(LISTENERS)('a listener that %s changes nothing', async (_, onSignal) => {
  let told = 0
  // Not a spy, which would handle the rejection itself.
  const listener = () => {
    told++
    return onSignal()
  }
  const { inbox } = createProcess(createDatabase(), { onSignal: listener })
  expect(await inbox.receive(await accepted())).toMatchObject({ status: 202 })
  expect(await inbox.drain()).toBe(1)
  expect(told).toBe(1)
  await settled()
})

describe('createInbox', () => {
  const store = memoryStore()
  const MISTAKES: readonly [code: string, options: unknown][] = [
    ['inbox_invalid', undefined],
    ['store_invalid', { handlers: {} }],
    ['store_invalid', { store: {}, handlers: {} }],
    ['store_invalid', { store: { ...store, mode: 'any' }, handlers: {} }],
    ['handler_invalid', { store }],
    ['handler_invalid', { store, handlers: { 'invoice.paid': async () => {} } }],
    ['handler_invalid', { store, handlers: { 'invoice.paid': { apply() {}, prepare: 1 } } }],
    ['handler_invalid', { store, handlers: [] }],
    ['handler_invalid', { store, handlers: new Map() }],
    ['option_unknown', { store, handlers: { 'invoice.paid': { apply() {}, prepair() {} } } }],
    ['option_unknown', { store, handlers: {}, lease: 5 }],
    ['scheme_invalid', { store, handlers: {}, scheme: undefined }],
    ['inbox_invalid', { store, handlers: {}, leaseMs: 0 }],
    ['inbox_invalid', { store, handlers: {}, concurrency: 1.5 }],
    ['inbox_invalid', { store, handlers: {}, inline: {} }],
    ['inbox_invalid', { store, handlers: {}, inline: null }],
    ['inbox_invalid', { store, handlers: {}, body: 'minimal' }],
    ['inbox_invalid', { store, handlers: {}, acceptUnsignedId: 'yes' }],
    ['inbox_invalid', { store, handlers: {}, backoff: 5 }],
    ['inbox_invalid', { store, handlers: {}, retention: { bodyDays: -1 } }],
    ['inbox_invalid', { store, handlers: {}, retention: { bodyDays: 30, idDays: 7 } }],
    ['option_unknown', { store, handlers: {}, retention: { bodyHours: 1 } }],
  ]
  test.each(MISTAKES)('throws %s for %j', (code, options) => {
    expect(() => createInbox(options as never)).toThrow(
      expect.objectContaining({ name: 'WebhookConfigError', code }),
    )
  })

  test('takes an accepted verdict alone', async () => {
    const { inbox } = createProcess(createDatabase(), {})
    for (const wrong of [undefined, {}, { ok: false }, { ok: true, delivery: {}, body: '{}' }]) {
      await expect(inbox.receive(wrong as never)).rejects.toMatchObject({ code: 'inbox_invalid' })
    }
  })
})
