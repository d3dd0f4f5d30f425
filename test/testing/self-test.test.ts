import { type KitOptions, type Report, replayKit } from 'hookproof/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { FAULTY } from './faulty.ts'
import { type Behaviour, openReceiver, RIGHT, RIGHT_INLINE } from './receiver.ts'

/** Chances of a receiver's own database, apart from those of the kit. */
function seeded(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}

const kitFor = (behaviour: Behaviour, seed: number, around: Partial<KitOptions> = {}) =>
  replayKit({ ...openReceiver(behaviour, seeded(seed)), ...around, seed })
const failedIds = ({ results }: Report) =>
  results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)

describe('a faulty receiver', () => {
  test('is one of at least 24, with a name of its own', () => {
    expect(FAULTY.length).toBeGreaterThanOrEqual(24)
    expect(new Set(FAULTY.map(({ name }) => name)).size).toBe(FAULTY.length)
  })

  // All at the same time, for they mostly wait.
  const reports = new Map<string, Promise<Report>>()
  beforeAll(() => {
    for (const { name, behaviour, around } of FAULTY) {
      reports.set(name, kitFor({ ...RIGHT, ...behaviour }, 1, around).run())
    }
  })

  test.each(FAULTY)('that $name is caught by $caughtBy', async ({ name, caughtBy, cause }) => {
    const report = await reports.get(name)
    expect(report && failedIds(report)).toContain(caughtBy)
    const { failure } = report?.results.find(({ id }) => id === caughtBy) ?? {}
    expect(failure?.cause).toContain(cause)
    expect(report?.ok).toBe(false)
  })

  test.each(FAULTY)('that $name is told apart by the scenario alone', async (receiver) => {
    const { behaviour, around, caughtBy, cause } = receiver
    const { results } = await kitFor({ ...RIGHT, ...behaviour }, 1, around).run([caughtBy])
    expect(results[0]?.failure?.cause).toContain(cause)
  })

  test('is there for every scenario but two', () => {
    const scenarios = kitFor(RIGHT, 1).scenarios.map(({ id }) => id)
    const caught = new Set(FAULTY.map(({ caughtBy }) => caughtBy))
    // Both are other sides of P2 and of an outage of 17 hours.
    expect(scenarios.filter((id) => !caught.has(id))).toEqual(['lost-answers', 'outage-5-min'])
  })
})

describe.each([
  ['that works behind its answer', RIGHT],
  ['that works before its answer', RIGHT_INLINE],
])('a right receiver %s', (_, behaviour) => {
  test('shows everything in 50 seeded runs', async () => {
    const seeds = Array.from({ length: 50 }, (_, seed) => seed)
    const reports = await Promise.all(seeds.map((seed) => kitFor(behaviour, seed).run()))
    expect(reports.filter(({ ok }) => !ok).map(({ text }) => text)).toEqual([])
    expect(reports).toHaveLength(50)
  })
})

test('a receiver that works before its answer does not answer while the work hangs', async () => {
  expect(failedIds(await kitFor(RIGHT, 1).run(['answers-first']))).toEqual([])
  expect(failedIds(await kitFor(RIGHT_INLINE, 1).run(['answers-first']))).toEqual(['answers-first'])
})
