import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadCases } from '../../vectors/gen/decode.js'
import { http2Fetch } from '../adapters/http2-fetch.ts'
import { raw } from '../adapters/raw.ts'
import { leftOut } from '../requirements.ts'
import { outputOf } from './host/processes.js'
import { withServer } from './host/served.js'
import { type Command, HERE, missing, RUNTIMES, type Runtime } from './matrix.ts'
import { type ContractReport, pageOf, type Report } from './page.ts'
import { contractReport } from './suite/contract.js'

/** Of a busy machine with two cores; the slowest takes 25 s alone. */
const SECONDS = 170

const servers = RUNTIMES.filter(({ adapter }) => adapter !== undefined)
const cases = loadCases()
/** `createSigner` takes the time as a number; text that is none cannot be asked of it. */
const askable = cases.filter(
  ({ case: { requires } }) => !requires.includes('timestamp-text'),
).length
/** Of those where nothing failed. */
const reports = new Map<Runtime, Report>()
const contracts = new Map<Runtime, ContractReport>()

beforeAll(async () => {
  await inFolder(['node', 'build.js'])
})

describe('every vector passes on the built package, in every way it can be called, in', () => {
  testEach(RUNTIMES, async (runtime) => {
    const report = await reportOf(runtime)
    const { run, passed } = report.vectors
    expect(report.failures).toEqual([])
    expect({ run, passed, engine: report.engine }).toEqual({
      run: askable,
      passed: askable,
      engine: runtime.engine,
    })
    expect(report.syncEngine).toBe(runtime.engine === 'native' ? 'native' : 'noble')
    reports.set(runtime, report)
  })
})

describe('the contract of adapters holds in', () => {
  testEach(servers, async (runtime) => {
    const contract = runtime.serve
      ? await contractOf(runtime.serve)
      : (reports.get(runtime) ?? (await reportOf(runtime))).contract
    expect(contract?.failures).toEqual([])
    if (contract) contracts.set(runtime, contract)
  })
})

test('docs/runtimes.md says what ran', async ({ skip }) => {
  const whole = reports.size === RUNTIMES.length && contracts.size === servers.length
  if (!whole) skip('not everything ran and passed')
  const page = join(HERE, '../../docs/runtimes.md')
  await expect(pageOf({ reports, contracts, total: cases.length })).toMatchFileSnapshot(page)
})

function testEach(runtimes: readonly Runtime[], run: (runtime: Runtime) => Promise<void>): void {
  for (const runtime of runtimes) {
    const lacks = missing(runtime)
    const limit = { timeout: (SECONDS + 10) * 1000 }
    test.skipIf(leftOut(lacks))(runtime.name, limit, async () => {
      expect(lacks).toEqual([])
      await run(runtime)
    })
  }
}

async function reportOf({ suite }: Runtime): Promise<Report> {
  return JSON.parse(await inFolder(suite))
}

function contractOf([command, ...args]: Command): Promise<ContractReport> {
  return withServer(command, args, HERE, async ({ http, http2 }) => {
    const reports = [await contractReport({ url: http, fetch, raw })]
    if (http2) reports.push(await contractReport({ url: http2, fetch: http2Fetch }))
    return {
      run: sum(reports.map(({ run }) => run)),
      passed: sum(reports.map(({ passed }) => passed)),
      failures: reports.flatMap(({ failures }) => failures),
    }
  })
}

function inFolder([command, ...args]: Command): Promise<string> {
  return outputOf(command, args, SECONDS, HERE)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}
