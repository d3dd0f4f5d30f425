import { describe, expect, test } from 'vitest'
import { headerReader } from '../../src/core/headers.ts'

const NAME = 'x-webhook-signature'
const read = (headers: unknown) => headerReader(headers as never)(NAME)

describe('one value, in every form of headers', () => {
  const generator = function* () {
    yield ['accept', '*/*']
    yield ['X-Webhook-Signature', 'a']
  }
  const forms: Record<string, unknown> = {
    Headers: new Headers({ 'X-Webhook-Signature': 'a' }),
    'a lower-case record': { [NAME]: 'a' },
    'a record in the sender’s case': { 'X-Webhook-Signature': 'a' },
    'an upper-case record': { 'X-WEBHOOK-SIGNATURE': 'a' },
    'a record without a prototype': Object.assign(Object.create(null), { [NAME]: 'a' }),
    'a record with a list of lines': { [NAME]: ['a'] },
    pairs: [
      ['accept', '*/*'],
      ['X-Webhook-Signature', 'a'],
    ],
    'pairs from a generator': generator(),
    'a Map': new Map([['X-Webhook-Signature', 'a']]),
    'a Map with lists': new Map([['X-Webhook-Signature', ['a']]]),
    'an object with get': { get: (name: string) => (name === NAME ? 'a' : null) },
    'a record with a header named get': { get: 'x', [NAME]: 'a' },
    'a record with unrelated odd values': { [NAME]: 'a', other: 5 },
  }
  test.each(Object.entries(forms))('%s', (_, headers) => {
    expect(read(headers)).toBe('a')
  })
})

describe('an absent header is undefined', () => {
  test.each([
    ['Headers', new Headers()],
    ['a record', {}],
    ['a record with undefined', { [NAME]: undefined }],
    ['a record with null', { [NAME]: null }],
    ['an empty list', { [NAME]: [] }],
    ['pairs', []],
    ['an inherited name', Object.create({ [NAME]: 'a' })],
    ['another name of the same length', { 'x-webhook-signaturf': 'a' }],
    ['an underscore name', { x_webhook_signature: 'a' }],
    ['a name with the Kelvin sign', { 'X-Webhoo\u212a-Signature': 'a' }],
  ])('%s', (_, headers) => {
    expect(read(headers)).toBeUndefined()
  })
})

describe('repeated lines are joined in order', () => {
  test.each([
    ['a list', { [NAME]: ['a', 'b', 'c'] }],
    ['names in several cases', { [NAME]: 'a', 'X-Webhook-Signature': ['b', 'c'] }],
    [
      'pairs',
      [
        ['X-Webhook-Signature', 'a'],
        [NAME, 'b'],
        ['X-WEBHOOK-SIGNATURE', 'c'],
      ],
    ],
    [
      'a Map',
      new Map<string, string | string[]>([
        [NAME, 'a'],
        ['X-Webhook-Signature', ['b', 'c']],
      ]),
    ],
    ['get with a list', { get: () => ['a', 'b', 'c'] }],
  ])('%s', (_, headers) => {
    expect(read(headers)).toBe('a, b, c')
  })

  test('a generator is read once and answers for every name', () => {
    const reader = headerReader(
      new Map([
        ['a', '1'],
        ['b', '2'],
      ]).entries(),
    )
    expect([reader('a'), reader('b'), reader('a')]).toEqual(['1', '2', '1'])
  })
})

describe('what is no set of headers throws headers_invalid', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['text', 'X-Webhook-Signature: a'],
    ['the flat list of Node', ['X-Webhook-Signature', 'a']],
    ['pairs whose name is no text', [[1, 'a']]],
    ['a number as the value', { [NAME]: 5 }],
    ['an object as the value', { [NAME]: { value: 'a' } }],
    ['a list with a number', { [NAME]: ['a', 5] }],
    ['get with a number', { get: () => 5 }],
  ])('%s', (_, headers) => {
    expect(() => read(headers)).toThrow(expect.objectContaining({ code: 'headers_invalid' }))
  })
})
