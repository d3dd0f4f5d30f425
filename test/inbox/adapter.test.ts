import { createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ReceiveSignal, webhook } from '../../dist/adapters/node.js'
import { createSigner } from '../../dist/index.js'
import { github } from '../../dist/schemes/github.js'
import { meta } from '../../dist/schemes/meta.js'
import { listening } from '../adapters/servers.ts'
import { createDatabase, createProcess, eventText, NOW, SECRET } from './bench.ts'
import { type Fault, faultyStore } from './faulty-store.ts'

const options = { secret: SECRET, now: () => NOW }
const signer = createSigner(options)

let reported: unknown[]
beforeEach(() => {
  reported = []
  vi.spyOn(console, 'error').mockImplementation((error) => reported.push(error))
})
afterEach(() => {
  vi.restoreAllMocks()
})

type Send = (
  body?: string,
  headers?: object,
) => Promise<readonly [status: number, type: string | null, body: string]>

/** A receiver on a socket, and what it told. */
async function serving(more: object, use: (send: Send) => Promise<void>): Promise<ReceiveSignal[]> {
  const signals: ReceiveSignal[] = []
  const onSignal = (signal: ReceiveSignal) => signals.push(signal)
  const receive = webhook({ ...options, onSignal, ...more } as never)
  const send: Send = async (body = eventText(), headers = {}) => {
    const signed = { ...(await signer.sign({ body })), ...headers }
    const response = await fetch(url, { method: 'POST', headers: signed, body })
    const type = response.headers.get('content-type')
    return [response.status, type, await response.text()] as const
  }
  let url = ''
  await listening(createServer(receive), async (at) => {
    url = at
    await use(send)
  })
  return signals
}

function inboxOn(faults: readonly Fault[], more: object = {}) {
  const { clock, store } = createDatabase()
  return createProcess({ clock, store: faultyStore(store, faults) }, more).inbox
}

const JSON_TYPE = 'application/json'
const KNOWN = { id: 'evt_1', type: 'invoice.paid', resource: { kind: 'invoice', id: 'inv_1' } }
const SIGNAL = {
  kind: 'receive',
  durationMs: expect.any(Number),
  delivery: KNOWN,
  matched: { secret: 0, signature: 0 },
  warnings: [],
}

describe('with an inbox, the answer', () => {
  test('is 202 for a first delivery and 200 for a duplicate', async () => {
    const signals = await serving({ inbox: inboxOn([]) }, async (send) => {
      expect(await send()).toEqual([202, JSON_TYPE, '{"received":true}'])
      expect(await send()).toEqual([200, JSON_TYPE, '{"received":true,"duplicate":true}'])
    })
    expect(signals).toEqual([
      { ...SIGNAL, outcome: 'recorded', status: 202 },
      { ...SIGNAL, outcome: 'duplicate', status: 200 },
    ])
  })

  test('is 200 for a first delivery that is settled inline', async () => {
    const inbox = inboxOn([], { inline: { budgetMs: 60_000 } })
    const signals = await serving({ inbox }, async (send) => {
      expect(await send()).toEqual([200, JSON_TYPE, '{"received":true}'])
    })
    expect(signals).toEqual([{ ...SIGNAL, outcome: 'settled', status: 200 }])
  })

  const AWAY: readonly Fault[] = [
    { operation: 'record', point: 'before', kind: 'throws' },
    { operation: 'record', point: 'before', kind: 'hangs' },
  ]
  test.each(AWAY)('is 503 when the store %j', async (fault) => {
    const inbox = inboxOn([fault], { receiveBudgetMs: 20 })
    const signals = await serving({ inbox }, async (send) => {
      expect(await send()).toEqual([503, JSON_TYPE, '{"error":"unavailable"}'])
    })
    expect(signals).toEqual([{ ...SIGNAL, outcome: 'unavailable', status: 503 }])
    expect(reported).toEqual([])
  })

  test('is 503 once the inbox has stopped', async () => {
    const inbox = inboxOn([])
    await inbox.stop()
    await serving({ inbox }, async (send) => {
      expect(await send()).toEqual([503, JSON_TYPE, '{"error":"unavailable"}'])
    })
  })

  test('is 422 for a delivery that nothing identifies', async () => {
    const scheme = { ...meta, decode: () => ({ event: {}, delivery: { ...UNIDENTIFIED } }) }
    const UNIDENTIFIED = { scheme: 'meta', idSigned: true, type: '' }
    const body = '{}'
    const headers = await createSigner({ secret: SECRET, scheme: meta }).sign({ body })
    const more = { scheme, now: undefined, inbox: inboxOn([], { scheme: meta }) }
    const signals = await serving(more, async (send) => {
      expect(await send(body, headers)).toEqual([422, JSON_TYPE, '{"error":"envelope"}'])
    })
    expect(signals).toMatchObject([
      { outcome: 'unidentified', status: 422, delivery: { type: '' } },
    ])
  })

  test('is 500 for a mistake that shows at a delivery, which is reported', async () => {
    const body = '{"ref":"a"}'
    const settings = { secret: SECRET, scheme: github }
    const headers = await createSigner(settings).sign({ body, id: 'guid_1' })
    const more = { scheme: github, now: undefined, inbox: inboxOn([], { scheme: github }) }
    const signals = await serving(more, async (send) => {
      expect(await send(body, headers)).toEqual([500, JSON_TYPE, '{"error":"internal"}'])
    })
    expect(reported).toMatchObject([{ code: 'id_unsigned' }])
    expect(signals).toMatchObject([{ outcome: 'failed', status: 500, error: reported[0] }])
  })

  test('to a refused delivery is what it is without one, and nothing is recorded', async () => {
    const inbox = inboxOn([])
    const signals = await serving({ inbox }, async (send) => {
      const forged = { 'X-Webhook-Signature': `t=${NOW},v1=${'0'.repeat(64)}` }
      expect(await send(eventText(), forged)).toEqual([401, JSON_TYPE, '{"error":"signature"}'])
    })
    expect(await inbox.find({})).toEqual([])
    expect(signals).toEqual([
      {
        kind: 'receive',
        outcome: 'rejected',
        status: 401,
        stage: 'signature',
        reason: 'signature_mismatch',
        durationMs: expect.any(Number),
      },
    ])
  })
})

test('the header traceparent goes into the row', async () => {
  const { clock, store } = createDatabase()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { inbox, signals } = createProcess({ clock, store }, {})
  await serving({ inbox }, async (send) => {
    await send(eventText(), { traceparent })
    await inbox.drain()
  })
  expect(signals).toMatchObject([{ kind: 'process', traceparent }])
})

test('two identical deliveries at once over sockets are recorded once', async () => {
  const inbox = inboxOn([])
  await serving({ inbox }, async (send) => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => send()))
    const statuses = answers.map(([status]) => status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(1)
    expect(statuses.filter((status) => status === 200)).toHaveLength(15)
  })
})

test('an id header that differs from the signed id is told, and so is which secret matched', async () => {
  const secret = [
    { id: 'new', secret: 'test_only_newer' },
    { id: 'old', secret: SECRET },
  ]
  const signals = await serving({ secret, inbox: inboxOn([]) }, async (send) => {
    await send(eventText(), { 'X-Webhook-Id': 'evt_2' })
  })
  expect(signals).toMatchObject([
    {
      delivery: { id: 'evt_1' },
      matched: { secret: 1, secretId: 'old' },
      warnings: ['delivery_id_mismatch'],
    },
  ])
})

test.each([
  ['rejects', () => Promise.reject(new Error('log away'))],
  [
    'throws',
    () => {
      throw new Error('log away')
    },
  ],
])('a listener that %s changes no answer', async (_, onSignal) => {
  await serving({ inbox: inboxOn([]), onSignal }, async (send) => {
    expect(await send()).toEqual([202, JSON_TYPE, '{"received":true}'])
    expect(await send('{}')).toEqual([422, JSON_TYPE, '{"error":"envelope"}'])
  })
  expect(reported).toEqual([])
})

describe('with a handler, the signal', () => {
  const run = async (handler: () => unknown) => {
    const signals: ReceiveSignal[] = []
    const onSignal = (signal: ReceiveSignal) => signals.push(signal)
    const body = eventText()
    const headers = await signer.sign({ body })
    const receive = webhook({ ...options, onSignal }, handler)
    await listening(createServer(receive), (url) => fetch(url, { method: 'POST', headers, body }))
    return signals
  }

  test('is handled once it has returned', async () => {
    expect(await run(() => {})).toEqual([{ ...SIGNAL, outcome: 'handled', status: 204 }])
  })

  test('is failed once it has thrown, apart from any refusal', async () => {
    const error = new Error('database away')
    const signals = await run(() => Promise.reject(error))
    expect(signals).toEqual([{ ...SIGNAL, outcome: 'failed', status: 500, error }])
    expect(reported).toEqual([error])
  })
})

test('an inbox of another scheme is refused at once', () => {
  const inbox = inboxOn([], { scheme: meta })
  expect(() => webhook({ ...options, inbox })).toThrow(
    expect.objectContaining({ code: 'inbox_invalid', message: expect.stringContaining('meta') }),
  )
})

describe('webhook()', () => {
  const inbox = inboxOn([])
  const MISTAKES: readonly [name: string, options: object, handler?: unknown][] = [
    ['neither a handler nor an inbox', {}],
    ['both', { inbox }, () => {}],
    ['an inbox that is none', { inbox: {} }],
    ['an inbox that is null', { inbox: null }],
    ['an onSignal that is no function', { inbox, onSignal: 'log' }],
  ]
  test.each(MISTAKES)('refuses %s at once', (_, more, handler) => {
    expect(() => webhook({ ...options, ...more } as never, handler as never)).toThrow(
      expect.objectContaining({ code: 'handler_invalid' }),
    )
  })
})
