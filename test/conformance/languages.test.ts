import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Report } from '../../dist/conformance/index.js'
import { has } from '../requirements.ts'
import { ADAPTERS, type AdapterRow } from './adapters.ts'
import { pageWithMatrix } from './matrix.ts'
import { graded, lastLine, notPassed, ROOT } from './runner.ts'

const PAGE = join(ROOT, 'docs/conformance.md')
const FOLDER = join(ROOT, 'vectors/adapters')
/** Of a busy machine with two cores; the slowest build takes half a minute. */
const LIMIT = { timeout: 400_000 }

/** `npm run conformance` writes the page, so it runs everything. */
const isWhole = Boolean(process.env.CI) || process.env.npm_lifecycle_event === 'conformance'
const reports = new Map<AdapterRow, Report>()

test('every folder of vectors/adapters has its row', () => {
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  expect(folders.map(({ name }) => name).sort()).toEqual(ADAPTERS.map(({ name }) => name).sort())
})

test.each(ADAPTERS)('the README of $name says how it is built and run', (adapter) => {
  const readme = readFileSync(join(FOLDER, adapter.name, 'README.md'), 'utf8')
  const shells = [...readme.matchAll(/^```sh\n(.*?)^```$/gmsu)].map(([, code = '']) => code.trim())
  const [build, run] = adapter.build === undefined ? [undefined, ...shells] : shells
  expect(build).toBe(adapter.build)
  const options = adapter.mode === undefined ? '' : `--mode ${adapter.mode} `
  expect(run).toBe(
    `npx hookproof conformance run --level exact ${options}-- ${adapter.command.join(' ')}`,
  )
})

describe('every case that an adapter declares passes at level exact', () => {
  for (const adapter of ADAPTERS) {
    const isThere = adapter.needs.every(([program, flag]) => has(program, flag))
    test.runIf(isThere)(adapter.name, LIMIT, async () => {
      build(adapter)
      await grade(adapter, adapter.mode ?? 'stream')
      if (adapter.also !== undefined) await grade(adapter, adapter.also)
    })
  }
})

function build({ name, build: command }: AdapterRow): void {
  if (command === undefined) return
  execFileSync('sh', ['-ec', command], { cwd: join(FOLDER, name), stdio: 'pipe' })
}

async function grade(adapter: AdapterRow, mode: 'stream' | 'oneshot'): Promise<void> {
  const { name, command } = adapter
  const sample = isWhole ? undefined : adapter.sample
  const only = (sample ?? []).flatMap((pattern) => ['--only', pattern])
  // A budget is for a machine that does nothing else.
  const jobs = mode === 'oneshot' ? '4' : '1'
  const options = ['--level', 'exact', '--mode', mode, '--jobs', jobs, '--slow', '20', ...only]
  const { status, stdout, report } = await graded(options, command)
  const failed = Object.entries(notPassed(report)).filter(([, is]) => is !== 'unsupported')
  expect(failed).toEqual([])
  expect([status, lastLine(stdout)]).toEqual([
    0,
    expect.stringMatching(/^conformance: [1-9]\d+ passed, 0 failed, \d+ skipped$/u),
  ])
  if (report === undefined) throw new Error('no report was written')
  // Adapters that do not say what they do would fill the table with numbers that mean little.
  expect(report.declared.capabilities).toContain('matched')
  expect(report.notes).toEqual([])
  if (sample === undefined) reports.set(adapter, report)
  const ms = report.cases.reduce((sum, result) => sum + (result.ms ?? 0), 0)
  console.log(`${name}: ${report.counts.passed} cases in ${(ms / 1000).toFixed(1)} s`)
}

test('docs/conformance.md has the numbers of what ran', async ({ skip }) => {
  if (reports.size === 0) skip('nothing ran whole')
  expect(existsSync(PAGE)).toBe(true)
  await expect(pageWithMatrix(readFileSync(PAGE, 'utf8'), reports)).toMatchFileSnapshot(PAGE)
})
