import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkFrame, readAnswer, readDeclaration } from '../../src/conformance/protocol.ts'
import { folder, graded, ROOT } from './runner.ts'

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, 'vectors', path), 'utf8'))
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true })
ajv.addSchema(readJson('schema/protocol.schema.json'), 'protocol')
const validator = (name: string) => {
  const validate = ajv.getSchema(`protocol#/$defs/${name}`)
  if (validate === undefined) throw new Error(`no ${name} in the schema`)
  return (value: unknown): boolean => validate(value) === true
}
const isAnswer = validator('answer')
const isDeclaration = validator('declaration')

const registry = (name: string): Record<string, string>[] => readJson(`${name}.json`)[name]
const suite = {
  stages: new Map<string, string>(
    registry('reasons').map(({ code, stage }) => [code ?? '', stage ?? '']),
  ),
  choices: new Map<string, string[]>(
    readJson('choices.json').choices.map((choice: { name: string; outcomes: string[] }) => [
      choice.name,
      choice.outcomes,
    ]),
  ),
}
const acceptsAnswer = (value: unknown) =>
  checkFrame(value, 5) === undefined && typeof readAnswer(value) !== 'string'
const acceptsDeclaration = (value: unknown) =>
  checkFrame(value, 5) === undefined && typeof readDeclaration(value, suite) !== 'string'

const FRAME = { p: 1, seq: 5 }
const NAMED = { name: 'a', version: '1', language: 'b' }
const HELLO = { ...FRAME, implementation: NAMED, profiles: ['paymos'], ops: [], capabilities: [] }

const ANSWERS: readonly (readonly [value: unknown, isRight: boolean])[] = [
  [{ ...FRAME, result: 'valid' }, true],
  [{ ...FRAME, result: 'valid', output: {} }, true],
  [{ ...FRAME, result: 'valid', output: {}, note: null }, true],
  [{ ...FRAME, result: 'invalid' }, true],
  [{ ...FRAME, result: 'invalid', reason: 'x', detail: '' }, true],
  [{ ...FRAME, skipped: 'no API' }, true],
  [{ ...FRAME, error: { message: '' } }, true],
  [{ ...FRAME, error: { message: 'x', trace: [] } }, true],
  [{ ...FRAME, result: 'valid', reason: 'x' }, false],
  [{ ...FRAME, result: 'valid', output: [] }, false],
  [{ ...FRAME, result: 'valid', output: null }, false],
  [{ ...FRAME, result: 'invalid', output: {} }, false],
  [{ ...FRAME, result: 'invalid', reason: '' }, false],
  [{ ...FRAME, result: 'invalid', reason: null }, false],
  [{ ...FRAME, result: 'invalid', detail: 5 }, false],
  [{ ...FRAME, result: 'acceptable' }, false],
  [{ ...FRAME, result: true }, false],
  [{ ...FRAME, skipped: '' }, false],
  [{ ...FRAME, skipped: true }, false],
  [{ ...FRAME, error: 'x' }, false],
  [{ ...FRAME, error: {} }, false],
  [{ ...FRAME, result: 'valid', skipped: 'x' }, false],
  [{ ...FRAME, result: 'valid', error: { message: 'x' } }, false],
  [{ ...FRAME, skipped: 'x', error: { message: 'x' } }, false],
  [FRAME, false],
  [{ seq: 5, result: 'valid' }, false],
  [{ p: 1, result: 'valid' }, false],
  [{ p: 2, seq: 5, result: 'valid' }, false],
  [{ p: '1', seq: 5, result: 'valid' }, false],
  [{ p: 1, seq: '5', result: 'valid' }, false],
  [[], false],
  [null, false],
  ['valid', false],
]

const DECLARATIONS: readonly (readonly [value: unknown, isRight: boolean])[] = [
  [HELLO, true],
  [{ ...HELLO, choices: { HexCase: 'valid' }, reasons: { Mine: 'header_missing' } }, true],
  [{ ...HELLO, choices: { Newer: 'valid' }, more: 1 }, true],
  [{ ...HELLO, implementation: { ...NAMED, runtime: 'x', source: 'y', issues: 'z' } }, true],
  [{ ...HELLO, implementation: 'x' }, false],
  [{ ...HELLO, implementation: { ...NAMED, name: '' } }, false],
  [{ ...HELLO, implementation: { ...NAMED, version: 1 } }, false],
  [{ ...HELLO, implementation: { name: 'a', version: '1' } }, false],
  [{ ...HELLO, implementation: { ...NAMED, issues: null } }, false],
  [{ ...HELLO, profiles: 'paymos' }, false],
  [{ ...HELLO, ops: undefined }, false],
  [{ ...HELLO, capabilities: [1] }, false],
  [{ ...HELLO, capabilities: [''] }, false],
  [{ ...HELLO, choices: [] }, false],
  [{ ...HELLO, choices: { HexCase: 1 } }, false],
  [{ ...HELLO, reasons: ['header_missing'] }, false],
  [{ ...HELLO, p: 2 }, false],
  [{ ...FRAME, error: { message: 'x' } }, false],
]

const shown = (rows: readonly (readonly [unknown, boolean])[]) =>
  rows.map(([value, isRight]) => [JSON.stringify(value), isRight] as const)

describe('the runner takes what the schema takes', () => {
  test.each(shown(ANSWERS))('answer %s: %s', (text, isRight) => {
    const value = JSON.parse(text)
    expect([acceptsAnswer(value), isAnswer(value)]).toEqual([isRight, isRight])
  })

  test.each(shown(DECLARATIONS))('declaration %s: %s', (text, isRight) => {
    const value = JSON.parse(text)
    expect([acceptsDeclaration(value), isDeclaration(value)]).toEqual([isRight, isRight])
  })

  test('for answers with members of any kind', () => {
    const value = fc.oneof(
      fc.constantFrom('valid', 'invalid', 'x', '', null, 0, true),
      fc.constant({ message: 'x' }),
      fc.constant({}),
      fc.constant([]),
    )
    const members = fc.record(
      { result: value, output: value, reason: value, detail: value, skipped: value, error: value },
      { requiredKeys: [] },
    )
    let taken = 0
    fc.assert(
      fc.property(members, (made) => {
        const answer = { ...FRAME, ...made }
        expect(acceptsAnswer(answer)).toBe(isAnswer(answer))
        if (isAnswer(answer)) taken += 1
      }),
      { numRuns: 10_000 },
    )
    expect(taken).toBeGreaterThan(50)
  })

  test('beyond the schema: choices and reasons must be those of the registries', () => {
    const wrong = { ...HELLO, choices: { HexCase: 'body_not_json' } }
    expect([acceptsDeclaration(wrong), isDeclaration(wrong)]).toEqual([false, true])
    const unknown = { ...HELLO, reasons: { Mine: 'my_reason' } }
    expect([acceptsDeclaration(unknown), isDeclaration(unknown)]).toEqual([false, true])
  })
})

/** Answers as the Python adapter does, and writes down every line that it is sent. */
const SCRIBE = `
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
const child = spawn(process.execPath, ['vectors/adapters/javascript/adapter.js'], { stdio: ['pipe', 'inherit', 'inherit'] })
const log = createWriteStream(process.argv[1])
process.stdin.pipe(child.stdin)
process.stdin.pipe(log)
`

test('every message of a run fits the schema, and says nothing but the input of its case', async () => {
  const log = join(folder, 'sent')
  const scribe = [process.execPath, '--input-type=module', '-e', SCRIBE, log]
  const { status } = await graded(['--level', 'exact', '--slow', '20'], scribe)
  expect(status).toBe(0)
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  const messages = lines.map((line) => JSON.parse(line))
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index))
  const [hello, ...rest] = messages
  expect(validator('hello')(hello)).toBe(true)
  expect(validator('bye')(rest.pop())).toBe(true)
  expect(rest.length).toBeGreaterThan(1000)
  const isRun = validator('run')
  expect(rest.filter((message) => !isRun(message))).toEqual([])
  const members = new Set(rest.flatMap((message) => Object.keys(message)))
  expect([...members].sort()).toEqual(['cmd', 'input', 'op', 'p', 'profile', 'seq'])
})

test('a report fits its schema', async () => {
  const validate = ajv.compile(readJson('schema/report.schema.json'))
  const { report } = await graded(
    ['--slow', '20'],
    ['node', 'vectors/adapters/javascript/adapter.js'],
  )
  expect([validate(report), validate.errors]).toEqual([true, null])
  const hostile = ['node', 'test/conformance/hostile.js', 'exit-9']
  const { report: red } = await graded(['--reveal', '--only', 'paymos/hdr-00*'], hostile)
  expect(red?.outcome).toBe('failed')
  expect([validate(red), validate.errors]).toEqual([true, null])
  expect(validate({ ...red, outcome: 'green' })).toBe(false)
})

test('a line can be written by hand', () => {
  const line = '{"p":1,"seq":0,"cmd":"hello"}\n'
  const adapter = ['vectors/adapters/javascript/adapter.js']
  const { stdout } = spawnSync(process.execPath, adapter, { input: line, cwd: ROOT })
  expect(isDeclaration(JSON.parse(stdout.toString()))).toBe(true)
})
