import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Expectations, readExpectations } from '../../src/conformance/expectations.ts'
import type { CaseReport, Report } from '../../src/conformance/report.ts'
import { loadSuite, type Suite } from '../../src/conformance/suite.ts'
import { updateExpectations } from '../../src/conformance/update-expectations.ts'
import { blocksOf } from '../docs/blocks.ts'
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

  test('may be what docs/conformance.md shows', () => {
    const shown = blocksOf('docs/conformance.md').find(({ code }) => code.startsWith('suite '))
    expect(entriesOf(shown?.code ?? '').map(({ expected }) => expected)).toEqual([
      'fail',
      'wrong-reason',
      'crash',
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
    expect(stdout).toContain('passes, although the expectations file has it (x); remove its line')
    expect(stdout).not.toMatch(/expected (?:valid|invalid)/u)
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

  test('an entry for a scheme that is not declared is red, unless --scheme narrows the run', async () => {
    const file = fileWith('suite 1.0\nstripe/sig-001 fail x\n')
    const all = await graded(['--expect', file, '--slow', '20'], [...HOSTILE, 'none'])
    expect(all.stdout).toContain(
      'stale expectation stripe/sig-001: the adapter does not declare its scheme',
    )
    expect([all.status, all.report?.counts.failed]).toEqual([1, 1])
    const narrowed = await graded(
      ['--expect', file, '--slow', '20', '--scheme', 'paymos'],
      [...HOSTILE, 'none'],
    )
    expect(narrowed.status).toBe(0)
  })
})

describe('expect', () => {
  const expectWith = (behaviour: string, ...options: string[]) =>
    conformance([
      'expect',
      '--level',
      'exact',
      '--slow',
      '20',
      ...options,
      '--',
      ...HOSTILE,
      behaviour,
    ])

  test('prints a file', async () => {
    const { status, stdout } = await expectWith('none')
    expect([status, stdout]).toEqual([0, 'suite 1.0\n'])
  })

  test('writes a file under which nothing is red, and keeps what is still true', async () => {
    const file = fileWith(
      [
        '# known failures of hostile',
        'suite 1.0  # the first',
        'paymos/hdr-001  fail  fixed since',
        '',
        '# about limits',
        'paymos/lim-026  unsupported  takes no limit  # for now',
        'paymos/lim-010  unsupported  takes long  # for now',
        'paymos/hdr-010 fail fixed since as well',
        'stripe/sig-001 fail not part of this run',
        '',
      ].join('\n'),
    )
    const { status, stdout } = await conformance([
      ...['expect', '--level', 'class', '--slow', '20', '--write', file],
      ...['--scheme', 'paymos', '--', ...HOSTILE, 'looks-at-no-future'],
    ])
    expect([status, lastLine(stdout)]).toEqual([0, expect.stringMatching(/^conformance: /u)])
    const text = readFileSync(file, 'utf8')
    expect(text.split('\n').slice(0, 6)).toEqual([
      '# known failures of hostile',
      'suite 1.0  # the first',
      '',
      '# about limits',
      'paymos/lim-010  unsupported  takes long  # for now',
      'stripe/sig-001 fail not part of this run',
    ])
    const added = text.trimEnd().split('\n').slice(6)
    const line = /^paymos\/\w{3}-\d{3} {2}fail {2}expected invalid timestamp_too_new, got valid$/u
    expect(added.filter((text) => !line.test(text))).toEqual([])
    const again = await graded(
      ['--level', 'class', '--slow', '20', '--scheme', 'paymos', '--expect', file],
      [...HOSTILE, 'looks-at-no-future'],
    )
    expect([again.status, again.report?.counts.failed]).toEqual([0, 0])
    expect(added.length).toBeGreaterThan(3)
    expect(again.report?.counts.expectedFailures).toBe(added.length)
    const before = readFileSync(file, 'utf8')
    await conformance([
      ...['expect', '--level', 'class', '--slow', '20', '--write', file],
      ...['--scheme', 'paymos', '--', ...HOSTILE, 'looks-at-no-future'],
    ])
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})

describe('an update', () => {
  /** A run in which the first nine cases of headers came to these, by the end of their id. */
  const reportOf = (ends: Readonly<Record<string, Partial<CaseReport>>>, stale: string[] = []) =>
    ({
      run: { level: 'exact' },
      expectations: { stale: stale.map((pattern) => ({ pattern, why: '' })) },
      cases: Array.from({ length: 9 }, (_, index) => ({
        id: `paymos/hdr-00${index + 1}`,
        ...(ends[index + 1] ?? { status: 'pass', reached: 'exact' }),
      })),
    }) as unknown as Report
  const XFAIL = { status: 'xfail', reached: 'none' } as const
  const update = (previous: string, report: Report) => updateExpectations(previous, report, suite)

  test('keeps comments, blank lines and line ends where they are', () => {
    const text = [
      '# ours',
      '',
      ' suite 1.0.0  # since May',
      '# last',
      'paymos/hdr-001 fail x # y',
      '',
    ]
    expect(update(text.join('\r\n'), reportOf({ 1: XFAIL }))).toBe(
      ['# ours', '', ' suite 1.0  # since May', '# last', 'paymos/hdr-001 fail x # y', ''].join(
        '\r\n',
      ),
    )
  })

  test('writes out a line with * that is true of some of its cases', () => {
    const report = reportOf({
      1: XFAIL,
      2: { status: 'wrong_reason', reached: 'verdict', expected: 'invalid a', got: 'invalid b' },
      3: { status: 'unsupported', reached: 'none' },
      9: XFAIL,
    })
    expect(
      update('suite 1.0\npaymos/hdr-00*  fail  https://x.example/1  # see there\n', report),
    ).toBe(
      [
        'suite 1.0',
        'paymos/hdr-001  fail  https://x.example/1  # see there',
        'paymos/hdr-002  wrong-reason  expected invalid a, got invalid b',
        'paymos/hdr-009  fail  https://x.example/1  # see there',
        '',
      ].join('\n'),
    )
  })

  test('leaves a line with * alone when it is true of all that ran', () => {
    const all = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [index + 1, XFAIL]))
    const text = 'suite 1.0\npaymos/hdr-00* fail x\nstripe/sig-001 fail y\n'
    const left = { ...all, 4: { status: 'unsupported', reached: 'none' } as const }
    expect(update(text, reportOf(left))).toBe(text)
  })

  test('never gives the reason of one failure to another', () => {
    const crash = { status: 'crash', reached: 'none', expected: 'valid', got: 'exited #1' } as const
    expect(
      update('suite 1.0\npaymos/hdr-001 wrong-output rounds\n# end\n', reportOf({ 1: crash })),
    ).toBe('suite 1.0\npaymos/hdr-001  crash  expected valid, got exited 1\n# end\n')
  })

  test('removes what is not true any more, and not the comment above it', () => {
    const text = 'suite 1.0\n# one\npaymos/hdr-001 fail x\n# two\nstripe/sig-001 fail y\n'
    expect(update(text, reportOf({}, ['stripe/sig-001']))).toBe('suite 1.0\n# one\n# two\n')
  })
})
