import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  AdapterError,
  type Answer,
  ExpectationsError,
  loadSuite,
  type RunSuiteOptions,
  runSuite,
  type Suite,
  SuiteError,
  summaryLine,
  toMarkdown,
  type VerifyInput,
} from '../../dist/conformance/index.js'
import { verifySync } from '../../dist/sync.js'

const VECTORS = new URL('../../vectors/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, VECTORS), 'utf8')

let suite: Suite
beforeAll(async () => {
  suite = await loadSuite(read)
})

/** A verifier of GitHub's signatures by its documentation, without anything behind the signature. */
function judge({ headers, body, secrets, tolerance, limits }: VerifyInput): Answer {
  const refuse = (reason: string): Answer => ({ result: 'invalid', reason })
  if (secrets.length === 0 || secrets.some(({ length }) => length === 0)) {
    return refuse('secret_missing')
  }
  if (tolerance !== null) return refuse('tolerance_invalid')
  const lines = headers.filter(([name]) => name.toLowerCase() === 'x-hub-signature-256')
  const value = lines.map(([, bytes]) => Buffer.from(bytes).toString('latin1')).join(', ')
  if (/^[ \t]*$/u.test(value)) return refuse('header_missing')
  if (!value.startsWith('sha256=')) return refuse('header_malformed')
  if (!/^sha256=[0-9a-f]{64}$/u.test(value)) return refuse('signature_malformed')
  const bytes = body ?? new Uint8Array()
  if (bytes.length > (limits?.maxBodyBytes ?? 1_048_576)) return refuse('body_too_large')
  const secret = secrets.findIndex(
    (key) => value === `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}`,
  )
  if (secret < 0) return refuse('signature_mismatch')
  return { result: 'valid', output: { matched: { secret, signature: 0 } } }
}

const GITHUB = {
  implementation: { name: 'by-hand', version: '1', language: 'typescript' },
  profiles: ['github'],
  capabilities: [
    ...['header-bytes', 'header-lines', 'limits', 'matched', 'multi-secret'],
    ...['raw-body', 'secret-bytes', 'tolerance'],
  ],
} as const

const run = (options: Partial<RunSuiteOptions>) =>
  runSuite({ suite, ...GITHUB, verify: judge, level: 'exact', ...options })

describe('runSuite', () => {
  test('grades functions as the command grades a process', async () => {
    const report = await run({})
    expect(summaryLine(report)).toBe('conformance: 97 passed, 0 failed, 9 skipped')
    expect(report).toMatchObject({
      outcome: 'passed',
      run: { mode: 'in-process', level: 'exact', schemes: ['github'], reveal: false },
      declared: { ...GITHUB, ops: ['verify'] },
      notes: [],
    })
    expect(report.levels).toEqual([
      { profile: 'github', run: 97, skipped: 9, verdict: 97, class: 97, exact: 97 },
    ])
  })

  test('gives bytes, not the objects of the files', async () => {
    const seen: VerifyInput[] = []
    await run({
      only: ['github/hdr-001'],
      verify(input) {
        seen.push(input)
        return judge(input)
      },
    })
    expect(seen).toHaveLength(7)
    for (const { headers, body, secrets, now } of seen) {
      expect(headers.every(([, value]) => value instanceof Uint8Array)).toBe(true)
      expect([body, ...secrets].every((bytes) => bytes instanceof Uint8Array)).toBe(true)
      expect(now).toMatch(/^\d+$/u)
    }
  })

  test('a function that throws is a crash, and the rest still runs', async () => {
    const report = await run({
      verify(input) {
        if (input.secrets.length > 1) throw new TypeError('secrets.trim is no function')
        return judge(input)
      },
    })
    const crashed = report.cases.filter(({ status }) => status === 'crash')
    expect(crashed.length).toBeGreaterThan(3)
    expect(crashed[0]?.got).toBe('threw TypeError: secrets.trim is no function')
    expect([report.outcome, report.counts.failed]).toEqual(['failed', crashed.length])
  })

  test('an answer that is none is a protocol error', async () => {
    const verify = (input: VerifyInput) =>
      input.body === null ? (undefined as never) : judge(input)
    const report = await run({ verify })
    const wrong = report.cases.filter(({ status }) => status === 'protocol_error')
    expect(wrong.map(({ got }) => got)).toContain('the answer is no object')
    expect(report.outcome).toBe('failed')
  })

  test.each([
    ['everything accepted', () => ({ result: 'valid' }) as const, /all of them were accepted/u],
    ['everything refused', () => ({ result: 'invalid' }) as const, /all of them were refused/u],
  ])('%s is not graded', async (_, verify, message) => {
    const error = await run({ verify }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(AdapterError)
    expect(error.message).toMatch(message)
  })

  test.each([
    ['a text', 'no such key', 'threw "no such key"'],
    ['an object', { code: 5 }, 'threw {"code":5}'],
    ['nothing', undefined, 'threw a value of type undefined'],
    [
      'what has no text',
      Object.create(null, { toJSON: { value: Symbol.prototype.toString } }),
      'threw a value of type object',
    ],
    ['an error of many lines', new Error('one\n\u001b[31mtwo'), 'threw Error: one [31mtwo'],
  ])('%s that is thrown has its words', async (_, thrown, words) => {
    const verify = () => {
      throw thrown
    }
    const error = await run({ verify }).catch((caught) => caught)
    expect(error).toBeInstanceOf(AdapterError)
    expect(error.message).toContain(`github, accept, first time: crash: ${words}\n`)
    expect(error.message).toContain('what your library documents as a refusal is answered with')
  })

  test.each([
    [
      'a level that is none',
      { level: 'exactly' },
      'option_unknown',
      'level must be one of verdict',
    ],
    [
      'a scheme that is none',
      { schemes: ['paypal'] },
      'scheme_invalid',
      'must be a list of paymos',
    ],
    ['schemes as one text', { schemes: 'github' }, 'scheme_invalid', 'must be a list of paymos'],
    ['no scheme at all', { schemes: [] }, 'scheme_invalid', 'must be a list of paymos'],
    ['one id as a text', { only: 'github/hdr-001' }, 'option_unknown', 'only must be a list'],
    ['an option that is none', { scheme: ['github'] }, 'option_unknown', 'no option scheme; there'],
    ['a verify that is none', { verify: {} }, 'handler_invalid', 'verify must be a function'],
    [
      'expectations as a list',
      { expectations: [] },
      'option_unknown',
      'must be the text of a file',
    ],
    ['no suite', { suite: undefined }, 'option_unknown', 'as loadSuite gives it'],
  ])('%s is refused before anything is run', async (_, options, code, message) => {
    let calls = 0
    const verify = (input: VerifyInput) => {
      calls += 1
      return judge(input)
    }
    const error = await run({ verify, ...options } as never).catch((caught) => caught)
    expect([error.name, error.code, calls]).toEqual(['WebhookConfigError', code, 0])
    expect(error.message).toContain(message)
  })

  test('ids that match nothing are said', async () => {
    const report = await run({ only: ['github/hdr-001', 'paymos/hdr-001', 'hdr-002'] })
    expect([report.outcome, report.notes]).toEqual([
      'passed',
      [
        'paymos/hdr-001 matches no case of the schemes of this run',
        'hdr-002 matches no case of the schemes of this run',
      ],
    ])
  })

  test('a wrong declaration is said', async () => {
    const implementation = { name: '', version: '1', language: 'typescript' }
    await expect(run({ implementation })).rejects.toThrow('implementation.name must be text')
  })

  test('nothing declared is nothing run', async () => {
    const { verify: _, ...rest } = { suite, ...GITHUB, verify: undefined }
    const report = await runSuite(rest)
    expect(report.outcome).toBe('nothing_run')
  })

  test('expectations that cannot be followed are said with their line', async () => {
    const error = await run({ expectations: 'suite 1.0\ngithub/hdr-001 fail' }).catch((e) => e)
    expect(error).toBeInstanceOf(ExpectationsError)
    expect(error.message).toContain('line 2: it must say why')
  })

  test('the report as Markdown says what was claimed', async () => {
    const text = toMarkdown(await run({}))
    expect(text).toMatch(/^# by-hand 1, typescript\n\nSuite 1\.0\.0, level exact, /u)
    expect(text).toContain('| github | 97 of 97 | 97 of 97 | 97 of 97 | 9 |')
    expect(text.trimEnd().split('\n').at(-1)).toBe('`conformance: 97 passed, 0 failed, 9 skipped`')
  })

  test('text of others does nothing in Markdown', async () => {
    const name = '<img src=x> | `a` [b](javascript:c)\n# d'
    const report = await run({ implementation: { name, version: '1', language: 'x' } })
    const [title] = toMarkdown(report).split('\n')
    expect(title).toContain(
      '&#60;img src=x&#62; &#124; &#96;a&#96; &#91;b&#93;(javascript:c) &#35; d',
    )
  })
})

describe('open questions', () => {
  /** The package's own verifier, but for how upper-case hex is taken, in turn. */
  const answering = (turns: readonly Answer[]): RunSuiteOptions => {
    let turn = 0
    return {
      suite,
      implementation: GITHUB.implementation,
      profiles: ['paymos'],
      capabilities: ['multi-secret'],
      level: 'verdict',
      verify({ header, body, secrets, now }) {
        if (/v1=[0-9a-f]*[A-F]/u.test(header ?? '')) {
          turn += 1
          return turns[turn % turns.length] as Answer
        }
        const headers = header ? { 'X-Webhook-Signature': header } : {}
        const options = { secret: secrets, now: () => Number(now) }
        const { ok, reason } = verifySync({ headers, body }, options)
        return ok ? { result: 'valid' } : { result: 'invalid', reason }
      },
    }
  }
  const hexCases = () => suite.cases.filter(({ choice }) => choice === 'HexCase')
  const statusesOf = async (options: RunSuiteOptions) => {
    const report = await runSuite({ ...options, only: hexCases().map(({ id }) => id) })
    const ran = report.cases.filter(({ status }) => status !== 'unsupported')
    return { taken: report.choices.HexCase, statuses: new Set(ran.map(({ status }) => status)) }
  }

  test('the same answer everywhere is right, at each of the allowed outcomes', async () => {
    const malformed = await statusesOf(
      answering([{ result: 'invalid', reason: 'signature_malformed' }]),
    )
    expect(malformed).toEqual({ taken: 'signature_malformed', statuses: new Set(['pass']) })
  })

  test('answers that change are inconsistent', async () => {
    const { statuses } = await statusesOf(
      answering([
        { result: 'invalid', reason: 'signature_mismatch' },
        { result: 'invalid', reason: 'signature_malformed' },
      ]),
    )
    expect(statuses).toEqual(new Set(['pass', 'inconsistent']))
  })

  test('an answer other than the declared one is inconsistent', async () => {
    const { taken, statuses } = await statusesOf({
      ...answering([{ result: 'invalid', reason: 'signature_malformed' }]),
      choices: { HexCase: 'valid' },
    })
    expect({ taken, statuses }).toEqual({ taken: 'valid', statuses: new Set(['inconsistent']) })
  })
})

describe('loadSuite', () => {
  test('reads all cases', () => {
    expect(suite.cases).toHaveLength(JSON.parse(read('manifest.json')).numberOfCases)
    expect(suite.profiles).toEqual(['paymos', 'stripe', 'standard-webhooks', 'github', 'meta'])
  })

  const edited = (path: string, edit: (text: string) => string) =>
    loadSuite((asked) => (asked === path ? edit(read(asked)) : read(asked)))

  test.each([
    [
      'a changed case',
      'v1/paymos/sig.json',
      (text: string) => `${text} `,
      'v1/paymos/sig.json is not',
    ],
    [
      'a changed registry',
      'reasons.json',
      (text: string) => text.replace('401', '400'),
      'reasons.json is not',
    ],
    ['a manifest that is no JSON', 'manifest.json', () => '{', 'manifest.json is not JSON'],
    [
      'a manifest that is no object',
      'manifest.json',
      () => '[]',
      'manifest.json is no JSON object',
    ],
    [
      'a file left out of the manifest',
      'manifest.json',
      (text: string) => {
        const manifest = JSON.parse(text)
        manifest.files.pop()
        return JSON.stringify(manifest)
      },
      'the digest in manifest.json is not that of its list of files',
    ],
    [
      'a number of cases that is not true',
      'manifest.json',
      (text: string) =>
        text.replace(/"numberOfCases": \d+,\n {2}"files"/u, '"numberOfCases": 1,\n  "files"'),
      'the files hold another number of cases',
    ],
    [
      'files of a later form',
      'manifest.json',
      (text: string) => text.replace('"schemaVersion": 1', '"schemaVersion": 2'),
      'use a newer release',
    ],
  ])('refuses %s', async (_, path, edit, message) => {
    const error = await edited(path, edit).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(SuiteError)
    expect(error.message).toContain(message)
  })

  test('says which file is missing', async () => {
    const missing = () => Promise.reject(new Error('ENOENT'))
    await expect(loadSuite(missing)).rejects.toThrow('manifest.json cannot be read')
  })
})
