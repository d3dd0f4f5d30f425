import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadCases } from '../../vectors/gen/decode.js'
import { ROOT } from '../package/package-json.ts'
import { type Answer, REPORTS } from './reports.ts'

const answers = REPORTS.flatMap(({ row, answers }) => answers.map((answer) => ({ row, answer })))
const DATA = { deliveries: 'field-reports/deliveries', frameworks: 'field-reports/frameworks' }
const dataFile = (name: keyof typeof DATA) => `${DATA[name]}.test.ts`

/** `file: title` of every test in the files that are named, left out on this machine or not. */
let listed: ReadonlySet<string>
beforeAll(() => {
  const named = answers.flatMap(({ answer }) => ('file' in answer ? [`test/${answer.file}`] : []))
  const files = [
    ...new Set([...named, ...Object.values(DATA).map((name) => `test/${name}.test.ts`)]),
  ]
  const folder = mkdtempSync(join(tmpdir(), 'hookproof-tests-'))
  const list = join(folder, 'tests.json')
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  try {
    // Under CI nothing is left out. Nothing is run, so that files may share their modules.
    const env = { ...process.env, CI: 'true' }
    const flags = ['list', `--json=${list}`, '--no-isolate']
    execFileSync(process.execPath, [vitest, ...flags, ...files], { cwd: ROOT, env })
    const tests: readonly { name: string; file: string }[] = JSON.parse(readFileSync(list, 'utf8'))
    listed = new Set(
      tests.map(({ name, file }) => `${relative(join(ROOT, 'test'), file)}: ${name}`),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 180_000)

test('there are 122 rows, in order and each once', () => {
  expect(REPORTS.map(({ row }) => row)).toEqual(Array.from({ length: 122 }, (_, i) => i + 1))
})

test('each row is a sentence and has an answer', () => {
  const wrong = REPORTS.filter(
    ({ report, answers }) => !/^[A-Z].*\.$/u.test(report) || answers.length === 0,
  )
  expect(wrong).toEqual([])
})

describe('every answer exists', () => {
  const ids = new Set(loadCases().map(({ case: { id } }) => id))
  const missing = (found: (row: number, answer: Answer) => boolean) =>
    answers.filter(({ row, answer }) => !found(row, answer))

  test('vectors', () => {
    expect(missing((_, answer) => !('vector' in answer) || ids.has(answer.vector))).toEqual([])
  })

  test('pages, with the text that is named', () => {
    const holds = (page: string, text: string) =>
      readFileSync(join(ROOT, page), 'utf8').includes(text)
    expect(missing((_, answer) => !('page' in answer) || holds(answer.page, answer.text))).toEqual(
      [],
    )
  })

  test('tests, by their whole titles', () => {
    expect(
      missing((_, answer) => !('file' in answer) || listed.has(`${answer.file}: ${answer.title}`)),
    ).toEqual([])
  })

  test("a row's own data, and no data without its row", () => {
    const rows = (name: keyof typeof DATA) =>
      [...listed].flatMap((test) => {
        const [, row] = test.startsWith(dataFile(name)) ? (/ > (\d+): /u.exec(test) ?? []) : []
        return row === undefined ? [] : [Number(row)]
      })
    for (const name of Object.keys(DATA) as (keyof typeof DATA)[]) {
      const named = answers.filter(({ answer }) => 'data' in answer && answer.data === name)
      expect([...new Set(rows(name))].sort((a, b) => a - b)).toEqual(named.map(({ row }) => row))
    }
  })

  test('reasons', () => {
    expect(missing((_, answer) => !('never' in answer) || answer.never.length > 20)).toEqual([])
  })
})
