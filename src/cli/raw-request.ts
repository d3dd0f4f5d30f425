import { trimBlanks } from '../core/blanks.ts'
import { decodeChunks } from './chunks.ts'
import type { SavedDelivery } from './saved-delivery.ts'
import { misuse } from './usage-error.ts'

const MAX_HEAD_BYTES = 1024 * 1024
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ [^ ]+ HTTP\/[0-9](?:\.[0-9])?$/u
const HEADER_LINE = /^([\w!#$%&'*+.^`|~-]+):([^\0\r]*)$/u

type Header = readonly [name: string, value: string]

/**
 * Reads `request line, header lines, blank line, body` (RFC 9112 §2.1), with CRLF or LF as the
 * head's line end.
 */
export function readRawRequest(file: Buffer): SavedDelivery {
  const { lines, bodyAt } = splitHead(file)
  const headers = lines.slice(1).map(readHeader)
  return { headers, ...readBody(headers, file.subarray(bodyAt)) }
}

interface Line {
  readonly number: number
  readonly text: string
}

function splitHead(file: Buffer): { lines: Line[]; bodyAt: number } {
  const lines: Line[] = []
  let from = 0
  for (let number = 1; ; number++) {
    const end = file.indexOf(0x0a, from)
    if ((end < 0 ? file.length : end) > MAX_HEAD_BYTES) {
      malformed(`no blank line ends the headers within ${MAX_HEAD_BYTES} bytes`)
    }
    const line = file.toString('latin1', from, end < 0 ? file.length : end)
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    // Blank lines before the request line are skipped, as servers do (RFC 9112 §2.2).
    if (text !== '') {
      if (lines.length === 0) assertRequestLine({ number, text })
      lines.push({ number, text })
    }
    if (end < 0) malformed('no blank line stands between headers and body')
    from = end + 1
    if (text === '' && lines.length > 0) return { lines, bodyAt: from }
  }
}

function assertRequestLine({ number, text }: Line): void {
  if (REQUEST_LINE.test(text)) return
  malformed(
    `line ${number} is no request line such as "POST /webhooks HTTP/1.1"; save the request as it was received, from its first line`,
  )
}

function readHeader({ number, text }: Line): Header {
  const [, name, value] = HEADER_LINE.exec(text) ?? []
  if (name === undefined || value === undefined) {
    malformed(`line ${number} is no header line such as "Name: value"`)
  }
  return [name, trimBlanks(value)]
}

/** The body's end is where the headers put it, else the file's (RFC 9112 §6). */
function readBody(headers: readonly Header[], rest: Buffer): Omit<SavedDelivery, 'headers'> {
  const lengths = valuesOf(headers, 'content-length')
  const codings = valuesOf(headers, 'transfer-encoding')
  if (codings.length > 0) {
    if (lengths.length > 0) {
      malformed('Content-Length and Transfer-Encoding exclude each other; remove the wrong one')
    }
    if (codings.length > 1 || codings[0]?.toLowerCase() !== 'chunked') {
      malformed('Transfer-Encoding can only be chunked')
    }
    const { body, end } = decodeChunks(rest)
    return { body, leftOut: rest.length - end, isFramed: true }
  }
  if (lengths.length === 0) return { body: rest, leftOut: 0, isFramed: false }
  const length = contentLength(lengths)
  if (rest.length < length) {
    misuse(
      'delivery_incomplete',
      `Content-Length says ${length} bytes, but ${rest.length} follow the headers: the delivery was saved incompletely, or changed since`,
    )
  }
  return { body: rest.subarray(0, length), leftOut: rest.length - length, isFramed: true }
}

/** A length may be repeated, but not contradict itself (RFC 9110 §8.6). */
function contentLength(values: readonly string[]): number {
  const [first = ''] = values
  if (!/^[0-9]{1,15}$/u.test(first)) malformed('Content-Length is no number of bytes')
  if (values.some((value) => value !== first))
    malformed('Content-Length is given twice, differently')
  return Number(first)
}

function valuesOf(headers: readonly Header[], name: string): string[] {
  return headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)
}

function malformed(message: string): never {
  misuse('delivery_malformed', `the delivery file is no raw HTTP request: ${message}`)
}
