import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CLI, folder, graded, lastLine, notPassed } from './runner.ts'

const ADAPTER = join(import.meta.dirname, 'hostile.js')
const TARGET = 'paymos/hdr-003'
const CASES = 9
const FIRST = ['--only', 'paymos/hdr-00*', '--reveal']

/** The nine first cases; the third is the one at which most of the adapters misbehave. */
function run(behaviour: string, options: readonly string[] = [], level = 'exact') {
  const file = join(folder, behaviour)
  return graded(
    [...FIRST, '--level', level, ...options],
    [process.execPath, ADAPTER, behaviour, file],
  )
}

/** A process that ended and that nobody has asked about is a zombie, and no longer running. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const stat = `/proc/${pid}/stat`
  return !existsSync(stat) || !/\) Z/u.test(readFileSync(stat, 'utf8'))
}

/** What becomes of the target, and in which words. Every other case passes. */
const AT_TARGET: readonly (readonly [behaviour: string, status: string, words: RegExp])[] = [
  ['hang', 'timeout', /^nothing came within 2 s$/u],
  ['segfault', 'crash', /^was ended by signal SIGSEGV \(11\)$/u],
  ['exit-0', 'crash', /^exited with code 0$/u],
  ['exit-9', 'crash', /^exited with code 9$/u],
  ['close-stdout', 'crash', /^closed its output without exiting$/u],
  ['garbage', 'protocol_error', /^the line is no JSON: "Warning: header \\"x\\" \\u001b\[31m"$/u],
  ['array-line', 'protocol_error', /^the line is no JSON object: "\[1\]"$/u],
  ['two-lines', 'protocol_error', /^a second line behind the answer: /u],
  ['second-answer-late', 'protocol_error', /^a second line behind the answer: /u],
  ['text-after-answer', 'protocol_error', /^a second line behind the answer: done$/u],
  ['no-line-end', 'timeout', /^\d{3} bytes without a line end came within 2 s$/u],
  ['too-long', 'protocol_error', /^a line of more than 32 MiB$/u],
  ['wrong-seq', 'protocol_error', /^seq must be 9, that of the question: /u],
  ['no-seq', 'protocol_error', /^seq must be 9/u],
  ['wrong-p', 'protocol_error', /^p must be 1: /u],
  ['two-kinds', 'protocol_error', /^exactly one of result, skipped and error/u],
  ['no-kind', 'protocol_error', /^exactly one of result, skipped and error/u],
  ['wrong-result', 'protocol_error', /^result must be valid or invalid$/u],
  ['text-error', 'protocol_error', /^error\.message must be text$/u],
  ['error', 'crash', /^error: TypeError: x is undefined$/u],
  ['wrong-verdict', 'fail', /^invalid signature_mismatch$/u],
  ['ignores-sigterm', 'timeout', /^nothing came/u],
  ['grandchild', 'timeout', /^nothing came/u],
  ['orphan-then-exit', 'crash', /^exited with code 0$/u],
]

describe('an adapter that misbehaves at one case fails that case alone', () => {
  test.each(AT_TARGET)('%s: %s', async (behaviour, status, words) => {
    const { status: exit, stdout, report } = await run(behaviour)
    expect(notPassed(report)).toEqual({ [TARGET]: status })
    expect(report?.cases.find(({ id }) => id === TARGET)?.got).toMatch(words)
    expect(report?.outcome).toBe('failed')
    expect(lastLine(stdout)).toBe(`conformance: ${CASES - 1} passed, 1 failed, 0 skipped`)
    expect(stdout).toContain(`  ${TARGET} ${status}: `)
    expect(stdout).toContain(`--only ${TARGET} --reveal`)
    expect(exit).toBe(1)
  })

  test('also at level verdict', async () => {
    const { status, report } = await run('exit-0', [], 'verdict')
    expect([status, notPassed(report)]).toEqual([1, { [TARGET]: 'crash' }])
  })

  test.each(['ignores-sigterm', 'grandchild', 'orphan-then-exit'])(
    '%s: no process is left behind',
    (behaviour) => {
      const pid = Number(readFileSync(join(folder, behaviour), 'utf8'))
      expect(pid).toBeGreaterThan(1)
      expect(isRunning(process.pid)).toBe(true)
      expect(isRunning(pid)).toBe(false)
    },
  )

  test.skipIf(process.platform === 'win32')('nor when the runner itself is ended', async () => {
    const file = join(folder, 'interrupted')
    const args = ['conformance', 'run', ...FIRST, '--', process.execPath, ADAPTER]
    const runner = spawn(process.execPath, [CLI, ...args, 'ignores-sigterm', file])
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const pid = Number(readFileSync(file, 'utf8'))
    expect(isRunning(pid)).toBe(true)
    runner.kill('SIGINT')
    expect(await once(runner, 'close')).toEqual([null, 'SIGINT'])
    expect(isRunning(pid)).toBe(false)
  })

  test('what it wrote to standard error is told, and nothing in it reaches the terminal', async () => {
    const { stdout, report } = await run('exit-9')
    expect(report?.cases.find(({ id }) => id === TARGET)?.stderr).toContain('out of memory')
    expect(stdout).toContain('stderr: "fatal: \\u001b[31mout of memory"')
    expect(stdout).not.toContain('\u001b')
  })

  test('a process that an earlier case left broken is told from a case that crashes', async () => {
    const { report } = await run('leaves-it-broken')
    expect(notPassed(report)).toEqual({ 'paymos/hdr-004': 'crash' })
    const words = report?.cases.find(({ id }) => id === 'paymos/hdr-004')?.got
    expect(words).toBe('exited with code 3; asked again in a new process it answered')
  })
})

/** What is no failure. */
const HARMLESS: readonly (readonly [behaviour: string, notes: readonly string[]])[] = [
  ['fills-stderr', []],
  ['crlf', []],
  ['more-members', []],
  ['stays-after-bye', ['the adapter did not exit in time after bye, and was ended']],
  ['exit-7-after-bye', ['after bye the adapter exited with code 7']],
  ['unknown-capability', ['no capability is named header-line']],
  [
    'answers-bye',
    ['the adapter wrote a line after bye: "{\\"p\\":1,\\"seq\\":16,\\"result\\":\\"valid\\"}"'],
  ],
  ['says-goodbye', ['the adapter wrote a line after bye: "Goodbye!"']],
]

test.each(HARMLESS)('%s is no failure, with the notes %j', async (behaviour, notes) => {
  const { status, report } = await run(behaviour)
  expect([status, notPassed(report), report?.notes]).toEqual([0, {}, notes])
})

test('a second answer to the last case is its own fault, also behind bye', async () => {
  const { status, report } = await run('late-at-bye')
  expect([status, notPassed(report)]).toEqual([1, { 'paymos/hdr-009': 'protocol_error' }])
})

test('what is skipped by the adapter is skipped, with its reason', async () => {
  const { status, stdout, report } = await run('skip')
  expect([status, notPassed(report)]).toEqual([0, { [TARGET]: 'unsupported' }])
  expect(stdout).toContain('1 skipped: "no such API"')
  const note = '1 case answered with skipped, though what it needs is declared'
  expect(report?.notes).toEqual([note])
  expect(stdout).toContain(note)
})

/** What keeps a run from beginning or from going on: exit 3, whatever was graded until then. */
const NOT_BEGUN: readonly (readonly [behaviour: string, words: RegExp])[] = [
  [
    'always-valid',
    /tampered, first time: expected invalid, got valid[\s\S]*all of them were accepted/u,
  ],
  ['always-invalid', /accept, first time: expected valid, got invalid[\s\S]*from base64/u],
  ['always-error', /got error: no such method[\s\S]*documents is answered with invalid/u],
  ['previous-answer', /accept, second time: expected valid, got invalid[\s\S]*judged differently/u],
  ['unflushed', /timeout: nothing came within 5 s; does the adapter flush/u],
  [
    'crash-in-trial',
    /crash: exited with code 6\n[\s\S]*\n {2}stderr: "fatal: \\u001b\[31mno module named 'acme'"\n$/u,
  ],
  ['exit-at-start', /no answer to hello: exited with code 1\n {2}"Traceback: no module named/u],
  ['garbage-at-hello', /no answer to hello: the line is no JSON: "Welcome to PHP 8"/u],
  ['no-name', /the answer to hello is wrong: implementation\.name must be text/u],
  ['wrong-choice', /choices\.HexCase must be one of valid, signature_malformed, /u],
  ['wrong-reasons', /reasons must map to the names in reasons\.json/u],
]

test.each(NOT_BEGUN)('%s: the suite is not begun', async (behaviour, words) => {
  const { status, stderr, stdout, report } = await run(behaviour, ['--slow', '0.5'])
  expect(stderr).toMatch(words)
  expect([status, stdout, report]).toEqual([3, '', undefined])
})

test('the time that a long line takes to be read is not that of the answer', async () => {
  const { status, report } = await graded(
    ['--only', 'paymos/lim-010'],
    [process.execPath, ADAPTER, 'reads-late'],
  )
  expect([status, notPassed(report)]).toEqual([0, {}])
})

test('what is made wrongly is wrong at every level', async () => {
  const options = ['--only', 'paymos/sgn-001', '--only', 'paymos/mac-001', '--level', 'verdict']
  const { status, report } = await graded(options, [process.execPath, ADAPTER, 'wrong-made'])
  expect([status, notPassed(report)]).toEqual([
    1,
    { 'paymos/sgn-001': 'fail', 'paymos/mac-001': 'fail' },
  ])
  expect(report?.cases[0]?.got).toBe('output.header "t=1,v1=00"')
})

test('a program that is not there: the suite is not begun', async () => {
  const { status, stderr } = await graded([], [join(folder, 'no-such-program')])
  expect(stderr).toContain('could not be started: there is no such program')
  expect(status).toBe(3)
})

describe('a run that ends early', () => {
  test('after eleven new starts', async () => {
    const { status, stdout, report } = await graded(
      ['--only', 'paymos/hdr-*', '--reveal'],
      [process.execPath, ADAPTER, 'crash-each-time'],
    )
    expect(report?.trouble).toContain('had to be started again more than 10 times')
    const crashed = report?.cases.filter(({ status }) => status === 'crash').length
    expect([status, report?.outcome, crashed]).toEqual([3, 'trouble', 11])
    expect(report?.counts.notRun).toBeGreaterThan(50)
    expect(stdout).toMatch(/\nnot run: \d+ cases\n/u)
    expect(lastLine(stdout)).toMatch(/^conformance: 0 passed, \d+ failed, \d+ skipped$/u)
  })

  test('after three starts that fail', async () => {
    const { status, report } = await run('second-start-fails')
    expect(report?.trouble).toBe(
      'the adapter did not start again: no answer to hello: exited with code 1',
    )
    expect([status, report?.counts.notRun]).toEqual([3, 6])
  })
})

test('nothing declared is nothing run: exit 5', async () => {
  const { status, stdout } = await run('declares-nothing')
  expect([status, lastLine(stdout)]).toEqual([5, 'conformance: 0 passed, 0 failed, 9 skipped'])
})
