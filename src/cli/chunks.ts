import { misuse } from './usage-error.ts'

/** Far longer than any size with its extensions. */
const MAX_LINE_BYTES = 4096

/**
 * Decodes the chunked coding (RFC 9112 §7.1); `end` is where it ends. Trailers are passed over,
 * never merged.
 */
export function decodeChunks(coded: Buffer): { body: Uint8Array; end: number } {
  // Decoding only ever shrinks. One buffer, so that a million one-byte chunks cost no more than
  // their bytes.
  const body = Buffer.alloc(coded.length)
  let length = 0
  let from = 0
  for (;;) {
    const sizeLine = readLine(coded, from)
    const size = chunkSize(sizeLine.text)
    from = sizeLine.next
    if (size === 0) return { body: body.subarray(0, length), end: skipTrailers(coded, from) }
    if (size > coded.length - from) incomplete()
    coded.copy(body, length, from, from + size)
    length += size
    const after = readLine(coded, from + size)
    if (after.text !== '') malformed('a chunk is longer than its size')
    from = after.next
  }
}

function chunkSize(line: string): number {
  const [, digits] = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?$/u.exec(line) ?? []
  return digits === undefined
    ? malformed('a chunk size is missing; if the body was saved decoded, remove Transfer-Encoding')
    : Number.parseInt(digits, 16)
}

function skipTrailers(coded: Buffer, from: number): number {
  for (let line = readLine(coded, from); ; line = readLine(coded, line.next)) {
    if (line.text === '') return line.next
  }
}

/** A line up to CRLF, or a bare LF as in files that passed through an editor. */
function readLine(coded: Buffer, from: number): { text: string; next: number } {
  const end = coded.subarray(from, from + MAX_LINE_BYTES).indexOf(0x0a)
  if (end < 0) {
    return coded.length - from < MAX_LINE_BYTES ? incomplete() : malformed('a line is too long')
  }
  const text = coded.toString('latin1', from, from + end)
  return { text: text.endsWith('\r') ? text.slice(0, -1) : text, next: from + end + 1 }
}

function incomplete(): never {
  misuse(
    'delivery_incomplete',
    'the chunked body ends before its last chunk: the delivery was saved incompletely, or decoded (then remove Transfer-Encoding)',
  )
}

function malformed(message: string): never {
  misuse('delivery_malformed', `the body is not chunked as Transfer-Encoding says: ${message}`)
}
