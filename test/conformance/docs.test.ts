import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Block, blocksOf } from '../docs/blocks.ts'
import { pack, run, temporaryFolder } from '../package/pack.ts'
import { has } from '../requirements.ts'
import { lastLine, ROOT } from './runner.ts'

const PAGES = ['vectors/README.md', 'docs/conformance.md']
const blocks = PAGES.flatMap(blocksOf)
const [adapter, reader, ...others] = blocks.filter(({ language }) => language === 'python')

/** An empty project, in which the tarball is what a registry would have sent. */
const project = temporaryFolder()
let tarball = ''
beforeAll(() => {
  tarball = pack()
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  writeFileSync(join(project, 'adapter.py'), adapter?.code ?? '')
})

/** What the last line of each block must be, by the page's own words where it has some. */
const LAST_LINES: readonly RegExp[] = [
  /^conformance: 830 passed, 0 failed, 0 skipped$/u,
  /^conformance: 56 passed, 0 failed, 50 skipped$/u,
  /^conformance: 56 passed, 0 failed, 50 skipped$/u,
  /^conformance: 56 passed, 0 failed, 50 skipped$/u,
  /^conformance: 830 passed, 0 failed, 0 skipped$/u,
]

describe.runIf(has('python3'))('in a project that installed the package', () => {
  const shells = blocks.filter(({ language }) => language === 'sh')
  /** Without a registry, and with time for a machine that does other things as well. */
  const here = (code: string) =>
    code
      .replace('npm install hookproof', `npm install --offline --no-audit --no-fund ${tarball}`)
      .replaceAll(/ -- (?=python3)/gu, ' --slow 20 -- ')

  test('every shell block has its last line', () => {
    expect(shells).toHaveLength(LAST_LINES.length)
  })

  test.each(shells.map((block, index) => [place(block), block, LAST_LINES[index]] as const))(
    '%s runs, in the order of the pages',
    (_, { code }, last) => {
      const output = run('bash', ['-euc', here(code)], project)
      expect(lastLine(output)).toMatch(last ?? /$^/u)
    },
  )

  test('the README says what comes out of its blocks', () => {
    const text = execFileSync('cat', [join(ROOT, 'vectors/README.md')], { encoding: 'utf8' })
    expect(text).toContain('The last line is `conformance: 830 passed, 0 failed, 0 skipped`.')
    expect(text).toContain('It answers 56 cases, and the run says why the other 50 were skipped.')
  })

  test('docs/conformance.md shows what its first block prints', () => {
    const [shell, shown] = blocksOf('docs/conformance.md')
    const output = run('bash', ['-euc', here(shell?.code ?? '')], project)
    const withoutVersion = (text: string) =>
      text.replace(/CPython [\d.]+/u, 'CPython').replace(/ in \d+\.\d s/u, ' in s')
    expect(withoutVersion(output.trimEnd())).toBe(withoutVersion(shown?.code ?? ''))
  })

  test('the block that reads the files without the runner reads all of a scheme', () => {
    const options = { cwd: join(ROOT, 'vectors'), encoding: 'utf8' } as const
    expect(execFileSync('python3', ['-c', reader?.code ?? ''], options)).toBe('578 cases read\n')
    expect(others).toEqual([])
  })
})

describe('the messages on the page of the vectors', () => {
  const shown = blocksOf('vectors/README.md').find(({ code }) => code.startsWith('→ {"p":1'))
  const lines = shown?.code.split('\n') ?? []

  test('are JSON but for what is left out, and answer each other', () => {
    expect(lines).toHaveLength(9)
    const messages = lines.map((line) => {
      const text = line.slice(2).replaceAll(/\{…\}/gu, '{}').replaceAll(',…]', ']')
      return { isQuestion: line.startsWith('→ '), ...JSON.parse(text) }
    })
    const seqs = (isQuestion: boolean) =>
      messages.filter((message) => message.isQuestion === isQuestion).map(({ seq }) => seq)
    expect(seqs(true)).toEqual([0, 1, 2, 3, 4])
    expect(seqs(false)).toEqual([0, 1, 2, 3])
    expect(messages.every(({ p }) => p === 1)).toBe(true)
  })
})

function place({ page, line }: Block): string {
  return `${page}:${line}`
}
