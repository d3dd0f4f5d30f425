import { describe, expect, test } from 'vitest'
import { REASONS } from '../../dist/index.js'
import { loadCases } from '../../vectors/gen/decode.js'
import { type Case, expected, ways } from './harness.ts'

/** `createSigner` takes the time as a number; text that is none cannot be asked of it. */
const cases = loadCases()
  .map(({ case: published }): Case => published)
  .filter(({ requires }) => !requires.includes('timestamp-text'))

describe('every published case, on the built package, in every way it can be called', () => {
  test.each(cases.map((published) => [published.id, published.title, published] as const))(
    '%s: %s',
    async (_id, _title, published) => {
      const want = expected(published)
      for (const [way, run] of Object.entries(ways(published))) {
        expect({ way, ...(await run()) }).toEqual({ way, ...want })
      }
    },
  )
})

test('every reason is reached by a case, but for those that only a test can reach', () => {
  const reached = new Set(cases.map((published) => expected(published).reason))
  const others = ['schema_invalid', 'body_incomplete']
  expect(Object.keys(REASONS).filter((reason) => !reached.has(reason))).toEqual(
    Object.keys(REASONS).filter((reason) => others.includes(reason)),
  )
})
