import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Report } from '../../dist/conformance/index.js'
import { createSigner } from '../../dist/index.js'
import { BODY } from '../fixtures.ts'
import { has } from '../requirements.ts'
import { ADAPTERS, type AdapterRow } from './adapters.ts'
import { pageWithMatrix } from './matrix.ts'
import { brokenOff, type Language, receiverOf, withReceiver } from './receivers.ts'
import { folder, graded, lastLine, notPassed, ROOT } from './runner.ts'

const PAGE = join(ROOT, 'docs/conformance.md')
const SECRET = 'test_only_receiver_key'
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

/** Without a JSON library, a loop must find its way in a message by itself. */
const WITHOUT_JSON = ['c', 'shell']

test.each(ADAPTERS)('the loop of $name is short: 100 lines, or 200 without JSON', ({ name }) => {
  const loops = readdirSync(join(FOLDER, name), { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      !/^(?:build|target)\//u.test(path) && /(?:^|\/)(?:[aA]dapter\.\w+|main\.rs)$/u.test(path),
  )
  expect(loops).toHaveLength(1)
  const lines = readFileSync(join(FOLDER, name, loops[0] ?? ''), 'utf8')
    .trimEnd()
    .split('\n')
  expect(lines.length).toBeLessThanOrEqual(WITHOUT_JSON.includes(name) ? 200 : 100)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(150)
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

/** CGI, WSGI and Rack make one variable of two names that differ in `-` and `_`. */
const TELLS_NAMES_APART: readonly string[] = ['go', 'java', 'php', 'rust']

describe('the program of a README takes a good delivery and refuses others', () => {
  for (const adapter of ADAPTERS) {
    const blocks = receiverOf(readFileSync(join(FOLDER, adapter.name, 'README.md'), 'utf8'))
    // That of the package itself has its receivers on pages of their own.
    if (adapter.name === 'javascript') continue
    const isThere = adapter.needs.every(([program, flag]) => has(program, flag))
    test.runIf(isThere)(adapter.name, LIMIT, async () => {
      expect(blocks).toHaveLength(1)
      const place = mkdtempSync(join(folder, `${adapter.name}-`))
      build(adapter)
      await withReceiver(
        adapter.name as Language,
        blocks[0]?.[1] ?? '',
        { folder: place, adapter: join(FOLDER, adapter.name), secret: SECRET },
        async (receive, port) => {
          const signed = await createSigner({ secret: SECRET }).sign({ body: BODY })
          const forged = await createSigner({ secret: `${SECRET}x` }).sign({ body: BODY })
          expect(await receive({ headers: { ...signed }, body: BODY })).toBe(204)
          expect(await receive({ headers: { ...signed }, body: `${BODY} ` })).toBe(400)
          expect(await receive({ headers: { ...forged }, body: BODY })).toBe(400)
          expect(await receive({ headers: {}, body: BODY })).toBe(400)
          if (TELLS_NAMES_APART.includes(adapter.name)) {
            const entries = Object.entries({ ...signed })
            const other = entries.map(([name, value]) => [name.replaceAll('-', '_'), value])
            const headers = Object.fromEntries(other)
            expect(await receive({ headers, body: BODY })).toBe(400)
          }
          if (adapter.name === 'go') {
            const body = ' '.repeat(1_048_577)
            expect(await receive({ headers: { ...signed }, body })).toBe(413)
            expect(await brokenOff(port)).toBe(400)
          }
        },
      )
    })
  }
})

test('docs/conformance.md has the numbers of what ran', async ({ skip }) => {
  if (reports.size === 0) skip('nothing ran whole')
  expect(existsSync(PAGE)).toBe(true)
  await expect(pageWithMatrix(readFileSync(PAGE, 'utf8'), reports)).toMatchFileSnapshot(PAGE)
})
