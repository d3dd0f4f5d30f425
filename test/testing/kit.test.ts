import { verify } from 'hookproof'
import { stripe } from 'hookproof/schemes'
import {
  createGate,
  type KitOptions,
  replayKit,
  type Story,
  stripeEvent,
  toMessage,
} from 'hookproof/testing'
import { describe, expect, test } from 'vitest'
import { FAULTY } from './faulty.ts'
import { openReceiver, RIGHT, RIGHT_INLINE, SECRET, signatures } from './receiver.ts'

const right = (): KitOptions => openReceiver(RIGHT, () => 0.5)

describe('a report', () => {
  test('is ok only if nothing was left unshown', async () => {
    const { bookByHand, ...others } = right()
    const shown = await replayKit({ ...others, bookByHand }).run(['P1', 'P4'])
    expect([shown.ok, shown.failed, shown.notShown]).toEqual([true, 0, 0])
    expect(shown.text).toMatch(/^All 2 shown\.$/mu)
    const unshown = await replayKit(others).run(['P1', 'P4'])
    expect([unshown.ok, unshown.failed, unshown.notShown]).toEqual([false, 0, 1])
    expect(unshown.text).toMatch(/P4 .* not shown +no bookByHand given/u)
    expect(unshown.text).toMatch(/^NOT READY: 1 not shown\.$/mu)
  })

  test('of nothing is not ok', async () => {
    const { ok, text } = await replayKit(right()).run([])
    expect([ok, text.includes('NOT READY: nothing was run.')]).toEqual([false, true])
  })

  test('tells a failure by its attempts, one cause, one fix, and the seed', async () => {
    const kit = replayKit({
      ...openReceiver({ ...RIGHT, key: () => crypto.randomUUID(), book: RIGHT.book }, () => 0),
      seed: 9,
    })
    const { results, text } = await kit.run(['P1', 'P2'])
    const failed = results.find(({ outcome }) => outcome === 'failed')
    expect(failed).toMatchObject({ id: 'P2', detail: 'work began 4 times, expected 1' })
    expect(
      failed?.failure?.timeline.map((entry) =>
        entry.kind === 'attempt' ? [entry.attempt, entry.outcome, entry.status] : entry.what,
      ),
    ).toEqual([1, 2, 3, 4].map((attempt) => [attempt, 'delivered', 202]))
    expect(text).toMatch(/00:00:00 {2}evt_\w{7}… {2}invoice\.paid {2}attempt 1 {2}→ 202/u)
    expect(text).toMatch(/16:00:00 {2}evt_/u)
    expect(text.match(/^ +cause /gmu)).toHaveLength(1)
    expect(text.match(/^ +fix /gmu)).toHaveLength(1)
    expect(text).toContain("replay  replayKit({ …, seed: 9 }).run(['P2'])\n")
    expect(text).toMatch(/^ +about +inv_\w{22}$/mu)
  })

  test('shows what is no delivery, how often it was booked, and many refusals as one', async () => {
    const twice = FAULTY.find(({ caughtBy }) => caughtBy === 'P4')
    const { text } = await replayKit(openReceiver({ ...RIGHT, ...twice?.behaviour }, () => 0)).run([
      'P4',
    ])
    const lines = text
      .split('\n')
      .filter((line) => /^ {6}\d\d:/u.test(line))
      .map((line) => line.trim().replace(/evt_\S+/u, 'evt'))
    expect(lines).toEqual([
      '00:00:00–16:03:00  evt  invoice.paid  attempts 1–11  → refused  nobody listens',
      '16:03:00  booked by hand  effects 0→1',
      '16:03:00  resent by hand',
      '16:03:00  evt  invoice.paid  attempt 12  → 202  effects 1→2',
    ])
  })

  test('names the other id of a captured delivery', async () => {
    const header = FAULTY.find(({ caughtBy }) => caughtBy === 'captured-id')
    const { text } = await replayKit(openReceiver({ ...RIGHT, ...header?.behaviour }, () => 0)).run(
      ['captured-id'],
    )
    expect(text).toMatch(/attempt 2 {2}→ 202 {2}under X-Webhook-Id evt_\w{22} {2}effects 1→2$/mu)
  })

  test('tells failures of one fault together, what to repair first in front', async () => {
    const header = FAULTY.find(({ caughtBy }) => caughtBy === 'captured-id')
    const kit = replayKit(openReceiver({ ...RIGHT, ...header?.behaviour }, () => 0))
    const { text, faults } = await kit.run(['P1', 'P4', 'two-endpoints', 'captured-id'])
    expect(faults.map(({ scenarios }) => scenarios)).toEqual([
      ['captured-id'],
      ['P4', 'two-endpoints'],
    ])
    expect(text).toContain('3 failures, probably 2 faults. Begin with the first:\n  1  deliveries')
    const { faults: none, text: one } = await kit.run(['P1', 'P4'])
    expect([none.length, one.includes('probably')]).toEqual([1, false])
  })

  test('holds no secret, no signature and no body', async () => {
    const broken = { ...RIGHT, judge: () => 401 }
    const report = await replayKit(openReceiver(broken, () => 0)).run()
    expect(JSON.stringify(report)).not.toMatch(
      new RegExp(`${SECRET}|[\\da-f]{64}|TRC20|external_id|"100.00"`, 'u'),
    )
  })

  test('is the same as JSON', async () => {
    const report = await replayKit(right()).run(['P1'])
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
  })
})

test('without a first delivery that books, nothing else is shown', async () => {
  const report = await replayKit({ ...right(), secret: 'another_secret' }).run([
    'P1',
    'P2',
    'burst',
  ])
  expect(report.results.map(({ outcome }) => outcome)).toEqual(['failed', 'not shown', 'not shown'])
  expect(report.results[0]).toMatchObject({ detail: 'answered 401' })
  expect(report.text).toMatch(/cause +a genuine delivery is refused: another secret/u)
})

test('the same seed makes the same choices about new identifiers', async () => {
  const trace = async (seed: number) => {
    const { target, ...options } = right()
    const [types, ids] = [[] as string[], new Set<string>()]
    const traced = async (request: Request) => {
      const event = JSON.parse(await request.clone().text())
      types.push(`${event.event_type} ${event.occurred_at % 2}`)
      ids.add(event.event_id)
      return (target as (one: Request) => Promise<{ status: number }>)(request)
    }
    await replayKit({ ...options, target: traced, seed }).run(['any-order'])
    return { order: types.map((type) => type.split(' ')[0]).join(), ids }
  }
  const [first, second, other] = [await trace(1), await trace(1), await trace(2)]
  expect(second.order).toBe(first.order)
  expect(other.order).not.toBe(first.order)
  expect([...first.ids].filter((id) => second.ids.has(id))).toEqual([])
})

/** What rests on the gate. */
const GATED = [
  ...['P3', 'two-endpoints-together', 'work-fails-once', 'crash'],
  ...['acknowledged-in-flight', 'answers-first'],
]

describe('failures that follow from another', () => {
  const INLINE_409: typeof RIGHT = {
    ...RIGHT_INLINE,
    async flow(work) {
      const isKnown = () => work.tables.deliveries.has(work.key)
      if (isKnown()) return 409
      const lock = work.memory.locks.get(work.key)
      await lock
      return isKnown() ? 409 : RIGHT_INLINE.flow(work)
    },
  }
  const NO_DEPOSITS: typeof RIGHT = {
    ...RIGHT,
    book: (work) =>
      work.event.event_type.startsWith('payment_channel.') ? undefined : RIGHT.book(work),
  }
  const POLITE: typeof RIGHT = {
    ...RIGHT,
    judge: (raw, now) => RIGHT.judge(raw, now) && 200,
  }
  const EVENT_TIME: typeof RIGHT = {
    ...RIGHT,
    judge(raw, now) {
      const { occurred_at } = JSON.parse(String(raw.body))
      if (Math.abs(now - occurred_at) > 300) return 401
      return RIGHT.judge(raw, Number(signatures(raw).t))
    },
  }

  test.each([
    ['a 409 to a repeat', INLINE_409, 'P3', 'a repeat is not answered with 2xx'],
    ['deposits that nobody handles', NO_DEPOSITS, 'deposits', 'deposits of payment channels are'],
    ['200 to a bad signature', POLITE, 'forgeries', 'nothing was booked, but the answer was 2xx'],
    ['200 to an old signature', POLITE, 'freshness', 'nothing was booked, but the answer was 2xx'],
    ['the time of the event', EVENT_TIME, 'freshness', 'old-event fails by the same'],
  ])('name its cause: %s', async (_, behaviour, id, cause) => {
    const { results } = await replayKit(openReceiver(behaviour, () => 0)).run([id])
    expect(results[0]?.failure?.cause).toContain(cause)
  })
})

test('one delivery finds another secret, before many meet it', async () => {
  const report = await replayKit({ ...right(), secret: 'another_secret' }).run(['burst', 'P2'])
  expect(report.results.map(({ outcome }) => outcome)).toEqual(['failed', 'not shown'])
  expect(report.results[0]?.failure).toMatchObject({ isSetUp: true })
  expect(report.deliveries).toBe(1)
})

describe('scenarios', () => {
  test('are listed with why they cannot be shown', () => {
    const { gate, bookByHand, also, ...options } = right()
    const { scenarios } = replayKit(options)
    const unshown = scenarios.filter((one) => one.unshown !== undefined).map(({ id }) => id)
    expect(unshown).toEqual(['P4', 'work-fails-once', 'crash', 'acknowledged-in-flight'])
    expect(scenarios.map(({ id }) => id)).not.toContain('deposits')
  })

  test('are switched off and on', () => {
    const ids = replayKit({
      ...right(),
      without: ['burst'],
      also: ['answers-first'],
    }).scenarios.map(({ id }) => id)
    expect(ids).not.toContain('burst')
    expect(ids).toContain('answers-first')
  })

  test('that need long waits are not shown in real time', async () => {
    const { clock, ...options } = right()
    const kit = replayKit({ ...options, mode: 'real', ladder: [10, 10], timeoutMs: 100 })
    const { results } = await kit.run(['P1', 'P4', 'lost-answers'])
    expect(results.map(({ outcome }) => outcome)).toEqual(['shown', 'shown', 'not shown'])
  })

  test('without a settle wait until what is observed is quiet', async () => {
    const counts = new Map<string, number>()
    const target = async (request: Request) => {
      const { data } = JSON.parse(await request.text())
      for (const ms of [20, 90]) {
        setTimeout(() => counts.set(data.invoice_id, (counts.get(data.invoice_id) ?? 0) + 1), ms)
      }
      return { status: 200 }
    }
    const observe = (id: string) => counts.get(id) ?? 0
    const kit = replayKit({ target, secret: SECRET, observe, quietMs: 200 })
    expect((await kit.runOne('P1')).detail).toBe('effects 2, expected 1')
  })

  test('that need the gate are not shown if no work waits at it, and never green', async () => {
    const kit = replayKit({ ...right(), gate: createGate(), settleMs: 50 })
    const { results, ok } = await kit.run(GATED)
    expect(results.map(({ outcome }) => outcome)).toEqual(GATED.map(() => 'not shown'))
    expect(results[0]?.detail).toContain('gate.pass()')
    expect(ok).toBe(false)
  })

  test('that need the gate are not shown if the work does not wait for one that does nothing', async () => {
    const idle = { hold() {}, release() {}, abandon() {}, failOnce() {} }
    const { results, ok } = await replayKit({
      ...openReceiver(RIGHT_INLINE, () => 0.5),
      gate: idle,
      started: undefined,
    }).run(GATED)
    expect(results.map(({ outcome }) => outcome)).toEqual(GATED.map(() => 'not shown'))
    const details = results.map(({ detail }) => detail)
    expect(details.filter((detail) => detail.includes('while the gate held it'))).toHaveLength(5)
    expect(details[2]).toContain('the first attempt was answered 2xx')
    expect(ok).toBe(false)
  })

  test('that end held work do so by an error where nothing can die', async () => {
    const fault = FAULTY.find(({ caughtBy }) => caughtBy === 'acknowledged-in-flight')
    const outcomes = await Promise.all(
      [RIGHT, RIGHT_INLINE, { ...RIGHT, ...fault?.behaviour }].map(async (behaviour) => {
        const { gate, ...options } = openReceiver(behaviour, () => 0)
        const kit = replayKit({ ...options, gate: { ...gate, abandon: undefined } })
        const { results } = await kit.run(['crash', 'acknowledged-in-flight'])
        return results.map(({ outcome }) => outcome)
      }),
    )
    expect(outcomes).toEqual([
      ['not shown', 'shown'],
      ['not shown', 'shown'],
      ['not shown', 'failed'],
    ])
  })

  test('run one at a time, whoever asks', async () => {
    const kit = replayKit(right())
    const results = await Promise.all(['P1', 'P3', 'crash', 'P2'].map(kit.runOne))
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(4).fill('shown'))
  })
})

test('what an integrator throws passes through', async () => {
  const observe = () => {
    throw new Error('no database')
  }
  await expect(replayKit({ ...right(), observe }).run(['P1'])).rejects.toThrow('no database')
  const nonsense = () => 'many' as never
  await expect(replayKit({ ...right(), observe: nonsense }).run(['P1'])).rejects.toThrow(
    'observe must',
  )
})

test('a receiver of another provider is shown what its story has', async () => {
  const [done, shipped] = [new Set<string>(), new Map<string, number>()]
  const target = async (request: Request) => {
    const verdict = await verify(request, { secret: SECRET, scheme: stripe })
    if (!verdict.ok) return verdict
    const { id, type, resource } = verdict.delivery
    if (type === 'payment_intent.succeeded' && resource && !done.has(String(id))) {
      shipped.set(resource.id, 1)
    }
    done.add(String(id))
    return { status: 200 }
  }
  const story: Story = {
    scheme: stripe,
    signsTwice: true,
    subject: () => ({ id: `pi_${crypto.randomUUID()}`, orderId: '' }),
    booking: ({ id }) => toMessage(stripeEvent('payment_intent.succeeded', { id })),
    unlisted: ({ id }) => toMessage(stripeEvent('payment_intent.imagined', { id })),
  }
  const observe = (id: string) => shipped.get(id) ?? 0
  const kit = replayKit({ target, secret: SECRET, observe, story, settle: () => {} })
  const { results, text } = await kit.run()
  expect(
    results.filter(({ outcome }) => outcome === 'failed'),
    text,
  ).toEqual([])
  const ids = results.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining(['P1', 'P5', 'rotation', 'freshness', 'unknown-type']))
  expect(ids).not.toContain('before-booking')
})

test('work that holds a lock makes no false alarm', async () => {
  const report = await replayKit({ ...openReceiver(RIGHT_INLINE, () => 0), rounds: 2 }).run([
    'P1',
    'P3',
  ])
  expect(report.ok, report.text).toBe(true)
})

test('a gate holds, lets go, leaves behind and fails', async () => {
  const gate = createGate()
  const log: string[] = []
  const pass = (name: string) =>
    gate.pass().then(
      () => log.push(name),
      () => log.push(`${name} failed`),
    )
  await pass('a')
  gate.hold()
  const held = pass('b')
  await gate.arrived()
  expect(log).toEqual(['a'])
  gate.release()
  await held
  gate.hold()
  void pass('lost')
  await gate.arrived()
  gate.abandon()
  gate.failOnce()
  await pass('c')
  await pass('d')
  expect(log).toEqual(['a', 'b', 'c failed', 'd'])
})

test.each<[string, object, string]>([
  ['no observe', { observe: undefined }, 'testing_invalid'],
  ['a hook that is no function', { bookByHand: true }, 'testing_invalid'],
  ['an option that is misspelt', { observ: 1 }, 'option_unknown'],
  ['an unknown scenario', { without: ['P9'] }, 'testing_invalid'],
  ['a seed that is no whole number', { seed: 0.5 }, 'testing_invalid'],
])('%s is a mistake at once', async (_, options, code) => {
  const make = () => replayKit({ ...right(), ...options } as KitOptions)
  expect(make).toThrow(expect.objectContaining({ name: 'WebhookConfigError', code }))
})

test('a scenario that does not exist is a mistake', async () => {
  await expect(replayKit(right()).run(['P6'])).rejects.toThrow('no such scenario')
  await expect(replayKit(right()).runOne('P6')).rejects.toThrow('no such scenario')
})
