import { expect, test } from 'vitest'
import { trimBlanks } from '../../src/core/blanks.ts'
import { concat, decodeHex, decodeUtf8, encodeHex, equal, utf8 } from '../../src/core/bytes.ts'

test('every byte survives hex in either case', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
  const hex = Buffer.from(bytes).toString('hex')
  expect(encodeHex(bytes)).toBe(hex)
  expect(decodeHex(hex, 0, 512)).toEqual(bytes)
  expect(decodeHex(`<${hex.toUpperCase()}>`, 1, 513)).toEqual(bytes)
})

test('every character that is no hex digit is refused at every place', () => {
  for (let code = 0; code < 0x300; code++) {
    const character = String.fromCharCode(code)
    if (/[0-9A-Fa-f]/u.test(character)) continue
    expect(decodeHex(`${character}0`, 0, 2), `U+${code.toString(16)}`).toBeUndefined()
    expect(decodeHex(`0${character}`, 0, 2), `U+${code.toString(16)}`).toBeUndefined()
  }
  for (const text of ['０0', '\uff410', '\ud83d\ude00']) {
    expect(decodeHex(text, 0, 2)).toBeUndefined()
  }
})

test('bytes are equal only when every one is, whatever the lengths', () => {
  const bytes = utf8('abc')
  expect(equal(bytes, utf8('abc'))).toBe(true)
  expect(equal(bytes, utf8('abd'))).toBe(false)
  expect(equal(bytes, utf8('xbc'))).toBe(false)
  expect(equal(bytes, utf8('ab'))).toBe(false)
  expect(equal(utf8(''), utf8(''))).toBe(true)
})

test('UTF-8 is decoded strictly and keeps its byte order mark', () => {
  expect(decodeUtf8(utf8('é\u2028😀'))).toBe('é\u2028😀')
  expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toBe('\ufeff1')
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined()
  }
})

test('concatenation keeps the order', () => {
  expect(concat(utf8('ab'), utf8('c'))).toEqual(utf8('abc'))
})

test('only spaces and tabs at the ends are blanks of a header', () => {
  expect(trimBlanks(' \t a b \t ')).toBe('a b')
  expect(trimBlanks('\u00a0a\n')).toBe('\u00a0a\n')
  expect(trimBlanks(' \t ')).toBe('')
})
