import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Graded, gradeAnswer, type Level, reaches } from '../../src/conformance/grade.ts'
import type { Answer, Declaration } from '../../src/conformance/protocol.ts'
import type { Case } from '../../src/conformance/suite.ts'

const { reasons } = JSON.parse(
  readFileSync(new URL('../../vectors/reasons.json', import.meta.url), 'utf8'),
) as { reasons: { code: string; stage: string }[] }
const stages = new Map(reasons.map(({ code, stage }) => [code, stage]))

const OUTPUT = {
  timestamp: '1700000000',
  matched: { secret: 0, signature: 1 },
  warnings: [],
  event: { id: 'evt_1', known: true, resource: { kind: 'invoice', id: 'inv_1' } },
}
const ACCEPTED: Case['allowed'] = [{ result: 'valid', output: OUTPUT }]
const refused = (reason: string): Case['allowed'] => [{ result: 'invalid', reason }]
const HEX_CASE: Partial<Case> = {
  choice: 'HexCase',
  allowed: [...ACCEPTED, ...refused('signature_malformed'), ...refused('signature_mismatch')],
}
const DEEP: Partial<Case> = {
  choice: 'DeepNesting',
  allowed: [...ACCEPTED, ...refused('body_not_json')],
}

const valid = (change: object = {}): Answer => ({
  result: 'valid',
  output: { ...OUTPUT, ...change },
})
const without = (member: string): Answer => {
  const output: Record<string, unknown> = { ...OUTPUT }
  delete output[member]
  return { result: 'valid', output }
}
const invalid = (reason?: string): Answer =>
  reason === undefined ? { result: 'invalid' } : { result: 'invalid', reason }

const ALL = ['envelope', 'matched']

type Row = readonly [
  name: string,
  published: Partial<Case>,
  answer: Answer,
  grade: Graded['grade'],
  reached: Graded['reached'],
  declared?: Partial<Declaration>,
]

const ROWS: readonly Row[] = [
  ['the whole output', { allowed: ACCEPTED }, valid(), 'pass', 'exact'],
  [
    'members in another order',
    { allowed: ACCEPTED },
    { result: 'valid', output: Object.fromEntries(Object.entries(OUTPUT).reverse()) },
    'pass',
    'exact',
  ],
  [
    'a number in place of its text',
    { allowed: ACCEPTED },
    valid({ timestamp: 1700000000 }),
    'wrong_output',
    'class',
  ],
  ['a member too many', { allowed: ACCEPTED }, valid({ extra: null }), 'wrong_output', 'class'],
  ['a member too few', { allowed: ACCEPTED }, without('warnings'), 'wrong_output', 'class'],
  [
    'null in place of nothing',
    { allowed: [{ result: 'valid', output: { event: {} } }] },
    { result: 'valid', output: { event: { id: null } } },
    'wrong_output',
    'class',
  ],
  [
    'an object in place of a list',
    { allowed: ACCEPTED },
    valid({ warnings: {} }),
    'wrong_output',
    'class',
  ],
  [
    'a warning too many',
    { allowed: ACCEPTED },
    valid({ warnings: ['delivery_id_mismatch'] }),
    'wrong_output',
    'class',
  ],
  ['no output at all', { allowed: ACCEPTED }, { result: 'valid' }, 'wrong_output', 'class'],
  ['refused instead of accepted', { allowed: ACCEPTED }, invalid(), 'fail', 'none'],
  [
    'an error where accepted was expected',
    { allowed: ACCEPTED },
    { error: { message: 'x' } },
    'crash',
    'none',
  ],
  [
    'the reason',
    { allowed: refused('header_missing') },
    invalid('header_missing'),
    'pass',
    'exact',
  ],
  [
    'another reason of the stage',
    { allowed: refused('header_missing') },
    invalid('timestamp_missing'),
    'wrong_reason',
    'class',
  ],
  [
    'a reason of another stage',
    { allowed: refused('header_missing') },
    invalid('signature_mismatch'),
    'wrong_reason',
    'verdict',
  ],
  [
    'a reason nobody knows',
    { allowed: refused('header_missing') },
    invalid('HeaderMissing'),
    'wrong_reason',
    'verdict',
  ],
  [
    'a reason called toString',
    { allowed: refused('header_missing') },
    invalid('toString'),
    'wrong_reason',
    'verdict',
    { reasons: {} },
  ],
  [
    'its own name, with a table',
    { allowed: refused('header_missing') },
    invalid('HeaderMissing'),
    'pass',
    'exact',
    { reasons: { HeaderMissing: 'header_missing' } },
  ],
  ['no reason', { allowed: refused('header_missing') }, invalid(), 'wrong_reason', 'verdict'],
  [
    'accepted instead of refused',
    { allowed: refused('signature_mismatch') },
    valid(),
    'fail',
    'none',
  ],
  [
    'an error where a refusal was expected',
    { allowed: refused('signature_mismatch') },
    { error: { message: 'x' } },
    'crash',
    'none',
  ],
  ['an open question, the first answer', HEX_CASE, valid(), 'pass', 'exact'],
  ['an open question, the second', HEX_CASE, invalid('signature_malformed'), 'pass', 'exact'],
  ['an open question, the third', HEX_CASE, invalid('signature_mismatch'), 'pass', 'exact'],
  [
    'an open question, a reason of an allowed stage',
    HEX_CASE,
    invalid('header_missing'),
    'wrong_reason',
    'class',
  ],
  ['an open question, no reason', HEX_CASE, invalid(), 'wrong_reason', 'verdict'],
  [
    'an open question, a reason of no allowed stage',
    HEX_CASE,
    invalid('body_not_json'),
    'wrong_reason',
    'verdict',
  ],
  [
    'without envelope: what lies behind the signature is accepted',
    { allowed: refused('envelope_field_type') },
    { result: 'valid', output: { timestamp: '5', matched: { secret: 0, signature: 0 } } },
    'pass',
    'exact',
    { capabilities: ['matched'] },
  ],
  [
    'without envelope: refusing it is wrong',
    { allowed: refused('body_not_json') },
    invalid('body_not_json'),
    'fail',
    'none',
    { capabilities: ['matched'] },
  ],
  [
    'without envelope: a question about the body is none',
    DEEP,
    invalid('body_not_json'),
    'fail',
    'none',
    { capabilities: ['matched'] },
  ],
  [
    'without envelope: event and warnings are not compared',
    { allowed: ACCEPTED },
    valid({ event: { type: 'x' }, warnings: 5 }),
    'pass',
    'exact',
    { capabilities: ['matched'] },
  ],
  [
    'without envelope: the time is compared',
    { allowed: ACCEPTED },
    valid({ timestamp: '1' }),
    'wrong_output',
    'class',
    { capabilities: ['matched'] },
  ],
  [
    'without matched: it is not compared',
    { allowed: ACCEPTED },
    valid({ matched: { secret: 7 } }),
    'pass',
    'exact',
    { capabilities: ['envelope'] },
  ],
  [
    'with matched: it is',
    { allowed: ACCEPTED },
    valid({ matched: { secret: 0, signature: 0 } }),
    'wrong_output',
    'class',
  ],
  [
    'sign: another header is right at no level',
    { op: 'sign', allowed: [{ result: 'valid', output: { header: 'a' } }] },
    { result: 'valid', output: { header: 'b' } },
    'fail',
    'none',
    { capabilities: [] },
  ],
  [
    'sign: no header is right at no level',
    { op: 'sign', allowed: [{ result: 'valid', output: { header: 'a' } }] },
    { result: 'valid' },
    'fail',
    'none',
  ],
  [
    'sign: another reason is the right verdict',
    { op: 'sign', allowed: refused('secret_missing') },
    invalid('secret_invalid'),
    'wrong_reason',
    'class',
  ],
  [
    'mac: another MAC is right at no level',
    { op: 'mac', allowed: [{ result: 'valid', output: { mac: '00' } }] },
    { result: 'valid', output: { mac: '01' } },
    'fail',
    'none',
  ],
  [
    'mac: the right one',
    { op: 'mac', allowed: [{ result: 'valid', output: { mac: '00' } }] },
    { result: 'valid', output: { mac: '00' } },
    'pass',
    'exact',
    { capabilities: [] },
  ],
]

test.each(ROWS.map((row) => [row[0], row] as const))('%s', (_, row) => {
  const [, published, answer, grade, reached, declared = {}] = row
  if ('skipped' in answer) throw new Error('never graded')
  const implementation = { name: 'x', version: '1', language: 'x' }
  const declaration = { implementation, profiles: [], ops: [], capabilities: ALL, ...declared }
  const base = { id: 'paymos/hdr-001', op: 'verify', ...published } as Case
  const graded = gradeAnswer(base, answer, declaration, { stages })
  expect([graded.grade, graded.reached]).toEqual([grade, reached])
})

describe('the words', () => {
  const declared: Declaration = {
    implementation: { name: 'x', version: '1', language: 'x' },
    profiles: [],
    ops: [],
    capabilities: ALL,
  }
  const words = (published: Partial<Case>, answer: object) => {
    const base = { op: 'verify', ...published } as Case
    return gradeAnswer(base, answer as never, declared, { stages })
  }

  test('name the first member that differs', () => {
    const event = { ...OUTPUT.event, resource: { kind: 'invoice', id: 'inv_2' } }
    expect(words({ allowed: ACCEPTED }, valid({ event }))).toMatchObject({
      expected: 'output.event.resource.id "inv_1"',
      got: 'output.event.resource.id "inv_2"',
    })
    expect(words({ allowed: ACCEPTED }, without('event'))).toMatchObject({
      got: 'output.event absent',
    })
  })

  test('name every allowed outcome, and which was taken', () => {
    expect(words(HEX_CASE, invalid('signature_mismatch'))).toMatchObject({
      expected: 'valid or invalid signature_malformed or invalid signature_mismatch',
      choice: { name: 'HexCase', outcome: 'signature_mismatch' },
    })
  })
})

test('a level includes those before it', () => {
  const levels: readonly (Level | 'none')[] = ['none', 'verdict', 'class', 'exact']
  for (const [at, reached] of levels.entries()) {
    for (const [index, level] of levels.entries()) {
      if (level === 'none') continue
      expect(reaches(reached, level)).toBe(at >= index)
    }
  }
})
