import { createHmac } from 'node:crypto'
import {
  type Attempt,
  createClock,
  createSender,
  type Fault,
  LADDER,
  paymosEvent,
  type Sender,
  type SenderOptions,
  toMessage,
} from 'hookproof/testing'
import { describe, expect, test, vi } from 'vitest'
import { createPace } from '../../src/testing/pacing.ts'

const SECRET = 'test_only_secret'
const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Arrival {
  readonly headers: Headers
  readonly body: string
}

/** A receiver that answers as it is told, and what arrived. */
function receiver(answer: (count: number) => number | Promise<number> = () => 204) {
  const arrivals: Arrival[] = []
  const target = async (request: Request) => {
    const body = await request.text()
    arrivals.push({ headers: request.headers, body })
    return { status: await answer(arrivals.length) }
  }
  return { arrivals, target }
}

function senderTo(target: SenderOptions['target'], options: Partial<SenderOptions> = {}): Sender {
  return createSender({ target, secret: SECRET, clock: createClock(), ...options })
}

const message = () => toMessage(paymosEvent('invoice.paid'))
/** Whole minutes from the first attempt, or seconds. */
const offsets = (attempts: readonly { at: number }[], unit: number) =>
  attempts.map(({ at }) => Math.round((at - (attempts[0]?.at ?? 0)) / unit))

function signature({ headers }: Arrival): { t: string; v1: string[] } {
  const [t = '', ...v1] = (headers.get('x-webhook-signature') ?? '').split(',')
  return { t: t.replace('t=', ''), v1: v1.map((value) => value.replace('v1=', '')) }
}
const mac = (secret: string, { t }: { t: string }, body: string) =>
  createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')

describe('the ladder', () => {
  test('is the published one: 11 attempts, 16 h 03 min', () => {
    expect(LADDER.map((gap) => gap / MINUTE)).toEqual([1, 2, 4, 8, 16, 32, 60, 120, 240, 480])
    expect(LADDER.reduce((sum, gap) => sum + gap, 0) / MINUTE).toBe(16 * 60 + 3)
  })

  test('is climbed for every answer that is no 2xx, and then the event is failed', async () => {
    const { arrivals, target } = receiver(() => 503)
    const { status, attempts } = await senderTo(target).deliver(message())
    expect(status).toBe('failed')
    expect(offsets(attempts, MINUTE)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 243, 483, 963])
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(arrivals).toHaveLength(11)
  })

  test('counts from the failure: a time-out of 10 s comes on top', async () => {
    const { target } = receiver()
    const faults = (attempt: number) => (attempt < 3 ? 'lostResponse' : undefined)
    const { attempts } = await senderTo(target).deliver(message(), { faults })
    expect(offsets(attempts, 1000)).toEqual([0, 70, 200])
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['timeout', 'timeout', 'delivered'])
  })

  test('is a parameter, and so is the time-out', async () => {
    const { target } = receiver()
    const sender = senderTo(target, { ladder: [5 * MINUTE], timeoutMs: 30_000 })
    const { status, attempts } = await sender.deliver(message(), { faults: () => 'lostRequest' })
    expect([status, offsets(attempts, 1000)]).toEqual(['failed', [0, 330]])
  })

  test.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [300, 'status'],
    [302, 'status'],
    [409, 'status'],
    [500, 'status'],
  ])('an answer %i is %s', async (status, outcome) => {
    const attempt = await senderTo(receiver(() => status).target).send(message())
    expect(attempt).toMatchObject({ outcome, status })
  })

  test('of several events is climbed as the time of each comes', async () => {
    const [first, second] = [message(), message()]
    const seen: string[] = []
    const target = async (request: Request) => {
      const { event_id } = JSON.parse(await request.text())
      seen.push(event_id === first.id ? 'first' : 'second')
      return { status: 500 }
    }
    const sender = senderTo(target, { ladder: [MINUTE, MINUTE] })
    await sender.deliverAll([first, second])
    expect(seen).toEqual(['first', 'second', 'first', 'second', 'first', 'second'])
  })
})

describe('an attempt', () => {
  test('carries identical bytes and ids under a fresh time', async () => {
    const { arrivals, target } = receiver((count) => (count < 4 ? 500 : 200))
    const sent = message()
    await senderTo(target).deliver(sent)
    const times = arrivals.map(signature)
    expect(new Set(arrivals.map(({ body }) => body))).toEqual(
      new Set([Buffer.from(sent.body).toString()]),
    )
    expect(arrivals.map(({ headers }) => headers.get('x-webhook-id'))).toEqual(
      Array(4).fill(sent.id),
    )
    expect(times.map(({ t }) => Number(t) - Number(times[0]?.t))).toEqual([0, 60, 180, 420])
    for (const [index, arrival] of arrivals.entries()) {
      const { t, v1 } = times[index] as { t: string; v1: string[] }
      expect(v1).toEqual([mac(SECRET, { t }, arrival.body)])
      expect(arrival.headers.get('x-webhook-timestamp')).toBe(t)
      expect(arrival.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })

  test('is signed with the real time where the receiver knows no other', async () => {
    const { arrivals, target } = receiver()
    const sender = createSender({ target, secret: SECRET })
    await sender.wait(16 * HOUR)
    await sender.send(message())
    const age = Date.now() / 1000 - Number(signature(arrivals[0] as Arrival).t)
    expect(age).toBeLessThan(3600)
    expect(sender.now() - Date.now()).toBeGreaterThan(15 * HOUR)
  })

  test.each<[Fault, string, number]>([
    ['refuse', 'refused', 0],
    ['lostRequest', 'timeout', 0],
    ['lostResponse', 'timeout', 1],
    ['slowBody', 'delivered', 1],
  ])('with %s is %s, and %i arrive', async (fault, outcome, count) => {
    const { arrivals, target } = receiver()
    const sent = message()
    expect((await senderTo(target).send(sent, { fault })).outcome).toBe(outcome)
    expect(arrivals.map(({ body }) => body)).toEqual(
      Array(count).fill(Buffer.from(sent.body).toString()),
    )
  })

  test('that is cut gives the receiver an error in the middle of the body', async () => {
    let read = 0
    let error: unknown
    const target = async (request: Request) => {
      try {
        for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
          read += chunk.length
        }
      } catch (thrown) {
        error = thrown
      }
      return { status: 400 }
    }
    const sent = message()
    expect((await senderTo(target).send(sent, { fault: 'cutSocket' })).outcome).toBe('status')
    expect(error).toBeInstanceOf(Error)
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(sent.body.length)
  })

  test('that hangs is given up while its work goes on', async () => {
    let finish = () => {}
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    let isOver = false
    const { target } = receiver(async () => {
      await held
      isOver = true
      return 200
    })
    // An hour that nobody waits for.
    const sender = senderTo(target, { graceMs: 20, timeoutMs: HOUR })
    const begun = sender.now()
    const attempt = await sender.send(message(), { fault: 'hang' })
    expect([attempt.outcome, isOver]).toEqual(['timeout', false])
    expect(sender.now() - begun).toBeGreaterThanOrEqual(HOUR)
    finish()
  })

  test('may be forged: another secret, another time, other headers, another body', async () => {
    const { arrivals, target } = receiver()
    await senderTo(target).send(message(), {
      secret: ['other_1', 'other_2'],
      timestamp: 1_700_000_000,
      headers: (signed) => ({ ...signed, 'X-Webhook-Id': 'evt_forged' }),
      body: () => Buffer.from('{}'),
    })
    const [arrival] = arrivals as [Arrival]
    expect(signature(arrival).t).toBe('1700000000')
    expect(signature(arrival).v1).toHaveLength(2)
    expect([arrival.headers.get('x-webhook-id'), arrival.body]).toEqual(['evt_forged', '{}'])
  })

  test('that the receiver throws at is answered 500', async () => {
    const attempt = await senderTo(async () => Promise.reject(new Error('no'))).send(message())
    expect(attempt).toMatchObject({ outcome: 'status', status: 500 })
  })
})

test('copies are under way at the same time', async () => {
  let [now, most] = [0, 0]
  const { target } = receiver(async () => {
    most = Math.max(most, ++now)
    await new Promise((resolve) => setTimeout(resolve, 20))
    now--
    return 200
  })
  const attempts = await senderTo(target).sendCopies(message(), 3)
  expect([most, attempts.length]).toEqual([3, 3])
})

test('a burst sends each, and goes on with those that failed', async () => {
  const { arrivals, target } = receiver((count) => (count % 2 === 0 ? 503 : 200))
  const messages = Array.from({ length: 9 }, message)
  const records = await senderTo(target).burst(messages, { perSecond: 1000 })
  expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['delivered']))
  expect(arrivals.length).toBeGreaterThan(9)
})

describe('after the ladder', () => {
  const failing = async () => {
    let status = 503
    const { arrivals, target } = receiver(() => status)
    const sender = senderTo(target)
    const sent = message()
    await sender.deliver(sent)
    status = 200
    return { arrivals, sender, sent }
  }

  test('an event is resent by hand under the same id', async () => {
    const { arrivals, sender, sent } = await failing()
    const { status, attempts } = await sender.resend(sent.id)
    expect([status, attempts.length, attempts.at(-1)?.number]).toEqual(['delivered', 12, 12])
    expect(new Set(arrivals.map(({ headers }) => headers.get('x-webhook-id')))).toEqual(
      new Set([sent.id]),
    )
  })

  test('a resend that fails climbs the ladder again', async () => {
    const { sender, sent } = await failing()
    const { status, attempts } = await sender.resend(sent.id, { faults: () => 'refuse' })
    expect([status, attempts.length]).toEqual(['failed', 22])
  })

  test('a delivered event is not resent, nor one that is unknown', async () => {
    const { sender, sent } = await failing()
    await sender.resend(sent.id)
    await expect(sender.resend(sent.id)).rejects.toThrow('only a failed event is resent')
    await expect(sender.resend('evt_unknown')).rejects.toThrow('an event that was sent')
  })

  test('the next event is sent as before: only the event failed', async () => {
    const { sender } = await failing()
    expect((await sender.deliver(message())).attempts).toHaveLength(1)
  })
})

describe('the dashboard', () => {
  test('has the 100 newest events, newest first', async () => {
    const sender = senderTo(receiver().target)
    const messages = Array.from({ length: 105 }, message)
    for (const sent of messages) await sender.send(sent)
    const ids = sender.recent().map(({ id }) => id)
    expect(ids).toEqual(
      messages
        .map(({ id }) => id)
        .reverse()
        .slice(0, 100),
    )
  })

  test('says when the next attempt is to come', async () => {
    const seen: unknown[] = []
    const sender: Sender = senderTo(
      async () => {
        const [{ status, nextAttemptAt = 0 } = { status: '' }] = sender.recent() as never[]
        seen.push([status, nextAttemptAt <= sender.now()])
        return { status: 500 }
      },
      { ladder: [MINUTE] },
    )
    await sender.deliver(message())
    const [record] = sender.recent()
    expect(seen).toEqual([
      ['pending', true],
      ['pending', true],
    ])
    expect(record).toMatchObject({ status: 'failed' })
    expect(record).not.toHaveProperty('nextAttemptAt')
  })
})

describe('a rotation', () => {
  test.each(['first', 'last'] as const)(
    'signs with both secrets for 24 h, the new one %s, then with the new one',
    async (newSecret) => {
      const { arrivals, target } = receiver()
      const sender = senderTo(target)
      const secretsOf = async () => {
        await sender.send(message())
        const arrival = arrivals.at(-1) as Arrival
        const { t, v1 } = signature(arrival)
        const names = ['old', SECRET, 'newer'].map((one) => [mac(one, { t }, arrival.body), one])
        return v1.map((value) => Object.fromEntries(names)[value])
      }
      expect(await secretsOf()).toEqual([SECRET])
      sender.rotate('newer', { newSecret })
      const both = newSecret === 'first' ? ['newer', SECRET] : [SECRET, 'newer']
      expect(await secretsOf()).toEqual(both)
      await sender.wait(23 * HOUR)
      expect(await secretsOf()).toEqual(both)
      await sender.wait(HOUR)
      expect(await secretsOf()).toEqual(['newer'])
      sender.rotate('old')
      expect(await secretsOf()).toEqual(['old', 'newer'])
    },
  )
})

test('in real time the ladder is waited for, but not for what never arrives', async () => {
  const { arrivals, target } = receiver((count) => (count === 1 ? 500 : 200))
  const ladder = [HOUR, 40, 40]
  const sender = createSender({ target, secret: SECRET, mode: 'real', ladder })
  const faults = (attempt: number) => (attempt <= 2 ? 'refuse' : undefined)
  const { status, attempts } = await sender.deliver(message(), { faults })
  expect([status, attempts.length, arrivals.length]).toEqual(['delivered', 4, 2])
  const [, , third, fourth] = attempts as [Attempt, Attempt, Attempt, Attempt]
  expect(fourth.at - third.at).toBeGreaterThanOrEqual(39)
})

test('so many requests go in a second, and the next in the second after', async () => {
  vi.useFakeTimers()
  try {
    const pace = createPace({ total: 100, perSecond: 3 })
    let gone = 0
    for (let request = 0; request < 7; request++) void pace().then(() => gone++)
    const after = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      return gone
    }
    expect([await after(0), await after(999), await after(1), await after(1000)]).toEqual([
      3, 3, 6, 7,
    ])
  } finally {
    vi.useRealTimers()
  }
})

test('the number of requests is limited', async () => {
  const { arrivals, target } = receiver()
  const sender = senderTo(target, { limits: { total: 3 } })
  for (let sent = 0; sent < 3; sent++) await sender.send(message())
  await expect(sender.send(message())).rejects.toThrow('limits.total')
  expect(arrivals).toHaveLength(3)
})

test.each<[string, object, string]>([
  ['no secret', { secret: '' }, 'secret_missing'],
  ['a secret with a line break', { secret: 'whsec_a\n' }, 'secret_invalid'],
  ['an option that is misspelt', { timeout: 1 }, 'option_unknown'],
  ['a target that is none', { target: {} }, 'testing_invalid'],
  ['a mode that is none', { mode: 'fast' }, 'testing_invalid'],
  ['virtual time that nobody shares', { mode: 'virtual', clock: undefined }, 'testing_invalid'],
  ['a ladder in words', { ladder: '32h' }, 'testing_invalid'],
  ['a ladder with a hole', { ladder: [60_000, Number.NaN] }, 'testing_invalid'],
  ['a time-out of nothing', { timeoutMs: 0 }, 'testing_invalid'],
  ['limits of nothing', { limits: { total: 0 } }, 'testing_invalid'],
])('%s is a mistake at once', (_, options, code) => {
  const make = () => senderTo(receiver().target, options)
  expect(make).toThrow(expect.objectContaining({ name: 'WebhookConfigError', code }))
})
