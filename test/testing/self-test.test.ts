import { replayKit } from 'hookproof/testing'
import { describe, expect, test } from 'vitest'
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

const run = (behaviour: Behaviour, seed: number) =>
  replayKit({ ...openReceiver(behaviour, seeded(seed)), seed }).run()

describe('a faulty receiver', () => {
  test('is one of at least 24, with a name of its own', () => {
    expect(FAULTY.length).toBeGreaterThanOrEqual(24)
    expect(new Set(FAULTY.map(({ name }) => name)).size).toBe(FAULTY.length)
  })

  test.each(FAULTY)('that $name is caught by $caughtBy', async ({ behaviour, caughtBy }) => {
    const report = await run({ ...RIGHT, ...behaviour }, 1)
    const failed = report.results.filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ id }) => id)).toContain(caughtBy)
    expect(report.ok).toBe(false)
  })
})

describe.each([
  ['that works behind its answer', RIGHT],
  ['that works before its answer', RIGHT_INLINE],
])('a right receiver %s', (_, behaviour) => {
  test('shows everything in 50 seeded runs', async () => {
    const seeds = Array.from({ length: 50 }, (_, seed) => seed)
    const reports = await Promise.all(seeds.map((seed) => run(behaviour, seed)))
    expect(reports.filter(({ ok }) => !ok).map(({ text }) => text)).toEqual([])
    expect(reports).toHaveLength(50)
  })
})
