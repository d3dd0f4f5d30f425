import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { replayKit } from '../../dist/testing/index.js'
import { type Block, blocksOf, ROOT } from '../docs/blocks.ts'
import { folder } from '../docs/load.ts'
import { has } from '../requirements.ts'
import { within, withProgram } from '../runtimes/host/processes.js'
import { FAULTY } from '../testing/faulty.ts'

// docs/prove.md, as somebody follows it who has nothing yet.

const PAGE = 'docs/prove.md'
const blocks = blocksOf(PAGE)
const page = readFileSync(ROOT + PAGE, 'utf8')
const of = (language: string) => blocks.filter((block) => block.language === language)
const [vitest, php, phpGate, staging, byHand] = of('sh') as [Block, Block, Block, Block, Block]
const [failure, phpReport, phpLine, sent] = of('text').map(({ code }) => code.split('\n')) as [
  string[],
  string[],
  string[],
  string[],
]

/** Ids, times and counts that differ from run to run. */
const settled = (text: string) =>
  text
    .replaceAll(/(evt|inv)_\S+/gu, '$1_…')
    .replaceAll(/[\d…]+ deliveries · [\d.…]+ s|in [\d…]+ ms|(?<=seed:? )\d+/giu, '#')
    .split('\n')
    .map((line) => line.replace(/^Error: /u, '').trim())

interface Finished {
  readonly status: number
  readonly output: string
}

async function shell(code: string, cwd: string): Promise<Finished> {
  const script = code
    .replaceAll(/^npm install .*\n/gmu, '')
    .replaceAll('npx hookproof', `"${process.execPath}" "${ROOT}dist/cli.js"`)
    .replaceAll(
      'npx vitest run',
      `"${process.execPath}" "${ROOT}node_modules/vitest/vitest.mjs" run`,
    )
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, VITEST: undefined }
  try {
    const { stdout, stderr } = await promisify(execFile)('bash', ['-euc', script], { cwd, env })
    return { status: 0, output: stdout + stderr }
  } catch (error) {
    const { code: status = -1, stdout = '', stderr = '' } = error as never as Record<string, never>
    return { status, output: stdout + stderr }
  }
}

describe('with vitest', () => {
  const [shop, tests, repaired] = of('ts').map(({ code }) => code) as [string, string, string]
  const project = join(folder, 'shop')
  mkdirSync(project)
  writeFileSync(join(project, 'shop.test.ts'), tests)
  // Not that of the folders above.
  writeFileSync(join(project, 'vitest.config.js'), 'export default {}')

  test('the files compile', () => {
    writeFileSync(join(project, 'repaired.ts'), repaired)
    writeFileSync(join(project, 'shop.ts'), shop)
    const files = ['shop.test.ts', 'repaired.ts'].map((name) => join(project, name))
    const program = ts.createProgram(files, {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      types: ['node'],
    })
    const faults = ts.getPreEmitDiagnostics(program)
    expect(faults.map(({ messageText }) => messageText)).toEqual([])
  })

  test('the shop fails as the page shows', async () => {
    writeFileSync(join(project, 'shop.ts'), shop)
    const { status, output } = await shell(vitest.code, project)
    expect(status).toBe(1)
    expect(settled(output)).toEqual(expect.arrayContaining(settled(failure.join('\n'))))
  })

  test('the repaired one does not, and three tests are skipped', async () => {
    writeFileSync(join(project, 'shop.ts'), repaired)
    const { status, output } = await shell(vitest.code, project)
    expect(output).toMatch(/Tests +25 passed \| 3 skipped/u)
    expect(status).toBe(0)
    expect(page).toContain('nothing fails, and three tests are skipped')
  })
})

describe.runIf(has('php'))('with PHP', () => {
  const [receiver, database, parcels, line, gate] = of('php').map(({ code }) => code) as [
    string,
    string,
    string,
    string,
    string,
  ]
  const project = join(folder, 'php')
  mkdirSync(join(project, 'node_modules'), { recursive: true })
  symlinkSync(ROOT, join(project, 'node_modules/hookproof'))
  writeFileSync(join(project, 'database.php'), database)
  writeFileSync(join(project, 'parcels.php'), parcels)
  const weak = receiver.split('\n').find((text) => text.includes('insert into parcel')) ?? ''
  const right = receiver.replace(weak, `${gate}\n${line}`)
  const port = String(20_000 + (process.pid % 20_000))
  const here = (code: string) =>
    `export PAYMOS_WEBHOOK_SECRET=whsec_test_only\n${code}`.replaceAll('8090', port)

  test('the receiver fails as the page shows', async () => {
    writeFileSync(join(project, 'receiver.php'), receiver)
    const { status, output } = await shell(here(php.code), project)
    const shown = settled(here(phpReport.join('\n')).split('\n').slice(1).join('\n'))
    expect(settled(output).slice(0, shown.length)).toEqual(shown)
    expect(status).toBe(1)
  })

  test('the repaired one shows everything', { timeout: 180_000 }, async () => {
    writeFileSync(join(project, 'receiver.php'), right)
    const { status, output } = await shell(here(phpGate.code), project)
    expect(output.trimEnd().split('\n').at(-1)).toBe(phpLine[0])
    expect(status).toBe(0)
  })

  test('staging and deliveries by hand, to a receiver that runs', {
    timeout: 180_000,
  }, async () => {
    copyFileSync(`${ROOT}vectors/adapters/php/hookproof.php`, join(project, 'hookproof.php'))
    writeFileSync(join(project, 'receiver.php'), right)
    writeFileSync(join(project, 'staging-secret.txt'), 'whsec_test_only\n')
    // The way to the other machine, which is this one.
    writeFileSync(join(project, 'ssh'), '#!/bin/sh\nshift\nexec "$@"\n')
    chmodSync(join(project, 'ssh'), 0o755)
    const args = ['-d', 'display_errors=0', '-S', `127.0.0.1:${port}`, 'receiver.php']
    const env = { ...process.env, PAYMOS_WEBHOOK_SECRET: 'whsec_test_only' }
    const use = async () => {
      const url = `http://127.0.0.1:${port}`
      await within(
        20,
        expect
          .poll(
            () =>
              fetch(url).then(
                ({ status }) => status,
                () => 0,
              ),
            { timeout: 20_000 },
          )
          .toBe(401),
        'php',
      )
      const there = staging.code.replace('https://staging.example/', `${url}/`)
      const proven = await shell(`PATH="$PWD:$PATH"\n${there}`, project)
      expect(proven.output).toMatch(/^All 5 shown\.$/mu)
      expect(proven.output).toContain('mode real')
      const { status, output } = await shell(here(byHand.code), project)
      expect(status).toBe(0)
      expect(settled(output).slice(-3, -1)).toEqual(settled(sent.join('\n')))
      expect(output.match(/ 200 in /gu)).toHaveLength(6)
    }
    await withProgram('php', args, use, { cwd: project, env })
  })
})

describe('the tables', () => {
  const cells = page
    .split('\n')
    .filter((text) => text.startsWith('| '))
    .map((text) => text.slice(2, -2).split(' | '))

  test('name every scenario, with the faulty receivers that our tests hold against it', () => {
    const optional = ['deposits', 'answers-first']
    const kit = replayKit({
      target: () => ({ status: 204 }),
      secret: 'test_only',
      observe: () => 0,
      also: optional,
    })
    const rows = new Map(
      cells.filter(([id]) => /^`[A-Za-z]/u.test(id ?? '')).map((row) => [row[0], row]),
    )
    for (const { id, title } of kit.scenarios) {
      const faults = FAULTY.filter(({ caughtBy }) => caughtBy === id).map(({ name }) => name)
      expect(rows.get(`\`${id}\``)).toEqual([`\`${id}\``, title, faults.join('; ') || '–'])
    }
  })

  test.each(['prove', 'send'])('name every option of %s', async (command) => {
    const { output } = await shell(`npx hookproof ${command} --no-such-option`, folder)
    const options = (output.match(/--[a-z][a-z-]*/gu) ?? []).slice(1)
    expect(options.length).toBeGreaterThan(10)
    for (const option of options) {
      if (option === '--help' || option === '--version') continue
      expect(page, option).toContain(`\`${option}`)
    }
  })
})
