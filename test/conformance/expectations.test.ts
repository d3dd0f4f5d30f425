import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Expectations, readExpectations } from '../../src/conformance/expectations.ts'
import { loadSuite, type Suite } from '../../src/conformance/suite.ts'
import { conformance, folder, graded, lastLine, notPassed, ROOT } from './runner.ts'

let suite: Suite
beforeAll(async () => {
  suite = await loadSuite((path) => readFileSync(join(ROOT, 'vectors', path), 'utf8'))
})

const HOSTILE = ['node', 'test/conformance/hostile.js']
const FIRST = ['--only', 'paymos/hdr-00*', '--reveal', '--level', 'exact']
let files = 0

function fileWith(text: string): string {
  files += 1
  const file = join(folder, `expect-${files}`)
  writeFileSync(file, text)
  return file
}

const runWith = (text: string, behaviour: string, options: readonly string[] = []) =>
  graded([...FIRST, '--expect', fileWith(text), ...options], [...HOSTILE, behaviour])

describe('the file', () => {
  const entriesOf = (text: string): Expectations['entries'] => readExpectations(text, suite).entries

  test('has comments, blank lines, addresses and sentences', () => {
    const text = [
      '# known failures',
      '',
      'suite 1.0   # written for this',
      'paymos/hdr-003  fail  https://bugs.example/12#note  # the last t wins',
      '  paymos/tim-00*\twrong-reason the clock is read twice\r',
      'stripe/sig-001 crash it does',
    ].join('\n')
    expect(entriesOf(text)).toEqual([
      {
        pattern: 'paymos/hdr-003',
        expected: 'fail',
        text: 'https://bugs.example/12#note',
        line: 4,
      },
      {
        pattern: 'paymos/tim-00*',
        expected: 'wrong-reason',
        text: 'the clock is read twice',
        line: 5,
      },
      { pattern: 'stripe/sig-001', expected: 'crash', text: 'it does', line: 6 },
    ])
  })

  test.each([
    ['nothing in it', '', 'line 1: the first line must name the suite'],
    ['no suite', '# x\npaymos/hdr-001 fail x', 'line 2: the first line must name the suite'],
    ['a newer major version', 'suite 2.0', 'line 1: written for suite 2, this is 1.'],
    ['an older major version', 'suite 0.9', 'line 1: written for suite 0, this is 1.'],
    ['a bare star', 'suite 1.0\n* fail x', 'line 2: it must begin with an id'],
    ['a star for a scheme', 'suite 1.0\npaymos/* fail x', 'line 2: it must begin with an id'],
    ['a star inside', 'suite 1.0\npaymos/h*1 fail x', 'line 2: it must begin with an id'],
    ['no id', 'suite 1.0\nhdr-001 fail x', 'line 2: it must begin with an id'],
    [
      'a word that is none',
      'suite 1.0\npaymos/hdr-001 skip x',
      'line 2: behind the id stands one of',
    ],
    ['no reason', 'suite 1.0\n\npaymos/hdr-001 fail', 'line 3: it must say why'],
    ['a comment as the reason', 'suite 1.0\npaymos/hdr-001 fail # x', 'line 2: it must say why'],
    [
      'more than 20 cases',
      'suite 1.0\npaymos/hdr-* fail x',
      'line 2: paymos/hdr-* matches 91 cases',
    ],
    [
      'a case twice',
      'suite 1.0\npaymos/hdr-003 fail x\npaymos/hdr-00* fail x',
      'line 3: paymos/hdr-003 stands in line 2 already',
    ],
  ])('is refused with %s', async (_, text, message) => {
    expect(() => entriesOf(text)).toThrow(message)
    const { status, stderr } = await runWith(text, 'none')
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('is refused when it is not there', async () => {
    const { status, stderr } = await graded(['--expect', 'no-such-file'], [...HOSTILE, 'none'])
    expect([status, stderr]).toEqual([2, expect.stringContaining('there is no such file')])
  })
})

describe('what is expected', () => {
  test.each([
    ['wrong-verdict', 'fail'],
    ['segfault', 'crash'],
  ])('%s as %s is no failure, and counted as skipped', async (behaviour, word) => {
    const text = `suite 1.0\npaymos/hdr-003 ${word} https://bugs.example/1\n`
    const { status, stdout, report } = await runWith(text, behaviour, ['--run-dangerous'])
    expect([status, notPassed(report)]).toEqual([0, { 'paymos/hdr-003': 'xfail' }])
    expect(report?.cases[2]).toMatchObject({ expectation: 'https://bugs.example/1' })
    expect(stdout).toContain('1 of the skipped failed as expected')
    expect(lastLine(stdout)).toBe('conformance: 8 passed, 0 failed, 1 skipped')
  })

  test('a crash is not run unless that is asked for', async () => {
    const text = 'suite 1.0\npaymos/hdr-003 crash takes the process down\n'
    const { status, report } = await runWith(text, 'segfault')
    expect([status, report?.cases[2]]).toMatchObject([0, { status: 'xfail', got: 'not run' }])
  })

  test('unsupported is not run', async () => {
    const text = 'suite 1.0\npaymos/hdr-003 unsupported no clock\n'
    const { status, report } = await runWith(text, 'segfault')
    expect([status, report?.cases[2]]).toMatchObject([
      0,
      { status: 'unsupported', got: 'no clock' },
    ])
  })

  test('a case that passes although it should not is red', async () => {
    const { status, stdout, report } = await runWith('suite 1.0\npaymos/hdr-003 fail x\n', 'none')
    expect([status, notPassed(report)]).toEqual([1, { 'paymos/hdr-003': 'xpass' }])
    expect(lastLine(stdout)).toBe('conformance: 8 passed, 1 failed, 0 skipped')
  })

  test('another failure than the expected one is red', async () => {
    const text = 'suite 1.0\npaymos/hdr-003 wrong-reason x\n'
    const { status, report } = await runWith(text, 'wrong-verdict')
    expect([status, notPassed(report)]).toEqual([1, { 'paymos/hdr-003': 'fail' }])
  })

  test('a protocol error can not be expected away', async () => {
    const { status, report } = await runWith('suite 1.0\npaymos/hdr-003 fail x\n', 'garbage')
    expect([status, notPassed(report)]).toEqual([1, { 'paymos/hdr-003': 'protocol_error' }])
  })

  test('an entry that matches nothing is red', async () => {
    const { status, stdout } = await runWith('suite 1.0\npaymos/hdr-999 fail x\n', 'none')
    expect(stdout).toContain('stale expectation paymos/hdr-999: no case has this id')
    expect([status, lastLine(stdout)]).toEqual([1, 'conformance: 9 passed, 1 failed, 0 skipped'])
  })

  test('an entry for what is left out anyway is red', async () => {
    const options = ['--only', 'paymos/mac-001']
    const { status, stdout } = await runWith('suite 1.0\npaymos/mac-001 fail x\n', 'none', options)
    expect(stdout).toContain('stale expectation paymos/mac-001: the adapter does not declare')
    expect(status).toBe(1)
  })

  test('an entry for a case that is not part of this run is left alone', async () => {
    const { status } = await runWith(
      'suite 1.0\nstripe/sig-001 fail x\npaymos/sig-001 fail x\n',
      'none',
    )
    expect(status).toBe(0)
  })
})

describe('expect', () => {
  const expectWith = (behaviour: string, ...options: string[]) =>
    conformance(['expect', '--level', 'exact', ...options, '--', ...HOSTILE, behaviour])

  test('prints a file', async () => {
    const { status, stdout } = await expectWith('none')
    expect([status, stdout]).toEqual([0, 'suite 1.0\n'])
  })

  test('writes a file under which nothing is red, and keeps what is still true', async () => {
    const file = fileWith(
      [
        '# known failures of hostile',
        'suite 1.0',
        'paymos/hdr-001  fail  fixed since',
        '',
        '# about limits',
        'paymos/lim-026  unsupported  takes no limit  # for now',
        'paymos/hdr-010 fail fixed since as well',
        'stripe/sig-001 fail not part of this run',
        '',
      ].join('\n'),
    )
    const { status, stdout } = await conformance([
      ...['expect', '--level', 'exact', '--write', file, '--', 'node'],
      ...['test/conformance/mistaken.js'],
    ])
    expect([status, lastLine(stdout)]).toEqual([0, expect.stringMatching(/^conformance: /u)])
    const text = readFileSync(file, 'utf8')
    expect(text.split('\n').slice(0, 5)).toEqual([
      'suite 1.0',
      '# known failures of hostile',
      '',
      '# about limits',
      'stripe/sig-001 fail not part of this run',
    ])
    expect(text).toMatch(/^paymos\/sig-\d+ {2}fail {2}expected invalid signature_\w+, got valid$/mu)
    const again = await graded(
      ['--level', 'exact', '--expect', file],
      ['node', 'test/conformance/mistaken.js'],
    )
    expect([again.status, again.report?.counts.failed]).toEqual([0, 0])
    expect(again.report?.counts.expectedFailures).toBeGreaterThan(10)
    const before = readFileSync(file, 'utf8')
    await conformance([
      ...['expect', '--level', 'exact', '--write', file, '--', 'node'],
      ...['test/conformance/mistaken.js'],
    ])
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})
