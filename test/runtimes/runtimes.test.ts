import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadCases } from '../../vectors/gen/decode.js'
import { outputOf } from './host/processes.js'
import { HERE, missing, RUNTIMES, type Runtime } from './matrix.ts'
import { pageOf, type Report } from './page.ts'

/** Of a busy machine with two cores; the slowest takes 25 s alone. */
const SECONDS = 170

const cases = loadCases()
/** `createSigner` takes the time as a number; text that is none cannot be asked of it. */
const askable = cases.filter(
  ({ case: { requires } }) => !requires.includes('timestamp-text'),
).length
const reports = new Map<Runtime, Report>()

beforeAll(() => inFolder(['node', 'build.js']))

describe('every vector passes on the built package, in every way it can be called, in', () => {
  for (const runtime of RUNTIMES) {
    const lacks = missing(runtime)
    const skip = lacks.length > 0 && process.env.CI === undefined
    if (skip) console.log(`${lacks.join()} is missing: ${runtime.name} is skipped`)
    test.skipIf(skip)(runtime.name, { timeout: (SECONDS + 10) * 1000 }, async () => {
      expect(lacks).toEqual([])
      const report: Report = JSON.parse(await inFolder(runtime.suite))
      reports.set(runtime, report)
      const { run, passed } = report.vectors
      expect(report.failures).toEqual([])
      expect({ run, passed, engine: report.engine }).toEqual({
        run: askable,
        passed: askable,
        engine: runtime.engine,
      })
      expect(report.syncEngine).toBe(runtime.engine === 'native' ? 'native' : 'noble')
    })
  }
})

test('docs/runtimes.md says what ran', async ({ skip }) => {
  if (reports.size < RUNTIMES.length) skip('not everything ran')
  const page = join(HERE, '../../docs/runtimes.md')
  await expect(pageOf(reports, cases.length)).toMatchFileSnapshot(page)
})

function inFolder([command, ...args]: readonly [string, ...string[]]): Promise<string> {
  return outputOf(command, args, SECONDS, HERE)
}
