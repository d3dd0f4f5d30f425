import type { Kit } from './kit.ts'
import { resultLines } from './report.ts'

type Test = (name: string, run: () => Promise<void>, timeout?: number) => unknown

/** The two functions that vitest, jest, node:test, bun and Deno have in common. */
export interface TestFunctions {
  readonly describe: (name: string, define: () => void) => unknown
  readonly it: Test & { readonly skip?: unknown }
}

/**
 * Registers one test for each scenario of a kit. What cannot be shown is a skipped test that says
 * why, and never a green one.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test'
 * import { webhook } from 'hookproof/fetch'
 * import { proofs, replayKit } from 'hookproof/testing'
 *
 * const secret = 'test_only_secret'
 * const booked = new Set<string>()
 * const target = webhook({ secret }, ({ event, delivery }) => {
 *   if (event.event_type === 'invoice.paid') booked.add(delivery.resource?.id ?? '')
 * })
 * const observe = (id: string) => (booked.has(id) ? 1 : 0)
 * proofs({ describe, it }, replayKit({ target, secret, observe }))
 * ```
 */
export function proofs({ describe, it }: TestFunctions, kit: Kit): void {
  describe(`replay safety, seed ${kit.seed}`, () => {
    for (const { id, title, unshown } of kit.scenarios) {
      const name = `${id}: ${title}`
      const run = async () => {
        const result = await kit.runOne(id)
        if (result.outcome !== 'shown') throw new Error(resultLines(result).join('\n'))
      }
      if (unshown !== undefined && typeof it.skip === 'function') {
        const skip = it.skip as Test
        skip(`${name} (not shown: ${unshown})`, run)
      } else it(name, run, TIMEOUT_MS)
    }
    if (kit.startsProcess) it('the process ends', kit.close)
  })
}

/** Some runners give a test five seconds; in real time P3 takes seventy. */
const TIMEOUT_MS = 180_000
