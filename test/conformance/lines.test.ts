import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitLines } from '../../src/cli/conformance-lines.ts'

function linesOf(chunks: readonly Buffer[], maxBytes: number) {
  const lines = splitLines(maxBytes)
  for (const chunk of chunks) lines.push(chunk)
  const taken: string[] = []
  for (let line = lines.take(); line !== undefined; line = lines.take()) taken.push(line)
  return { taken, rest: lines.rest(), isTooLong: lines.isTooLong() }
}

test('however the bytes are cut, the lines are the same', () => {
  const text = fc
    .array(fc.constantFrom('a', '€', '\r', '\n', '\r\n', ' '))
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 40 })), (written, cuts) => {
      const bytes = Buffer.from(written)
      const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
        (a, b) => a - b,
      )
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
      const whole = written.split('\n')
      const rest = Buffer.from(whole.pop() ?? '').length
      const taken = whole.map((line) => line.replace(/\r$/u, ''))
      expect(linesOf(chunks, 1000)).toEqual({ taken, rest, isTooLong: false })
    }),
  )
})

test.each([
  ['abcde\n', { taken: ['abcde'], rest: 0, isTooLong: false }],
  ['abcdef\n', { taken: [], rest: 6, isTooLong: true }],
  ['abcdef', { taken: [], rest: 6, isTooLong: true }],
  ['a\nabcdef\nb\n', { taken: ['a'], rest: 6, isTooLong: true }],
])('%j with a limit of five bytes', (text, expected) => {
  expect(linesOf([Buffer.from(text)], 5)).toEqual(expected)
  const pieces = text.split('').map((piece) => Buffer.from(piece))
  expect(linesOf(pieces, 5)).toEqual(expected)
})
