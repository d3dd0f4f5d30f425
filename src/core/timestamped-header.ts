import { skipBlanks, skipBlanksBack } from './blanks.ts'
import { decodeHex, utf8 } from './bytes.ts'
import type { Reason } from './reasons.ts'
import type { SignedParts } from './scheme.ts'
import { type Rejected, reject } from './verdict.ts'

const MAX_LENGTH = 4096
const MAX_SIGNATURES = 16
const EQUALS = 0x3d

/**
 * Reads `t=<unix seconds>,v1=<hex>[,v1=<hex>]`, where the signed bytes begin with the header's own text of `t` and a dot.
 *
 *     header  = element *( "," element )        SP and HTAB around an element are dropped
 *     element = "t=" time / "v1=" mac / other   a bare "t" or "v1" has an empty value; others are ignored
 *     time    = "0" / ( %x31-39 *11DIGIT )
 *     mac     = 64HEXDIG
 *
 * Scanned by index with the limits first: no pattern, no list of elements, no work a sender can multiply.
 */
export function parseTimestampedHeader(text: string | undefined): SignedParts | Rejected {
  if (text === undefined || skipBlanks(text, 0, text.length) === text.length) {
    return refuse('header_missing', 'a signature header with t= and v1=')
  }
  if (text.length > MAX_LENGTH) {
    return refuse('header_too_long', `at most ${MAX_LENGTH} characters`)
  }
  let times = 0
  let time = ''
  let macs = 0
  const signatures: Uint8Array[] = []
  for (let from = 0, to = 0; from <= text.length; from = to + 1) {
    to = text.indexOf(',', from)
    if (to < 0) to = text.length
    const start = skipBlanks(text, from, to)
    const end = skipBlanksBack(text, start, to)
    if (hasKey(text, 't', start, end)) {
      times++
      time = text.slice(start + 2, end)
    } else if (hasKey(text, 'v1', start, end) && end > start + 3) {
      macs++
      const signature = end - start === 67 ? decodeHex(text.slice(start + 3, end)) : undefined
      if (signature !== undefined) signatures.push(signature)
    }
  }
  if (times === 0) return refuse('timestamp_missing', 't=, the unix time of signing')
  if (times > 1) return refuse('timestamp_duplicate', 'one t=')
  const timestamp = parseTime(time)
  if (timestamp === undefined) {
    return refuse('timestamp_malformed', 't= with 1 to 12 digits, no sign and no leading zero')
  }
  if (macs === 0) return refuse('signature_missing', 'v1=, the signature')
  if (macs > MAX_SIGNATURES) {
    return refuse('signatures_too_many', `at most ${MAX_SIGNATURES} v1= values`)
  }
  if (signatures.length === 0) {
    return refuse('signature_malformed', 'v1= with 64 hex digits')
  }
  return { head: utf8(`${time}.`), signatures, timestamp }
}

function refuse(reason: Reason, expected: string): Rejected {
  return reject('header', reason, `expected ${expected}`)
}

/** Whether the element is `key` alone, or `key` and an equals sign. */
function hasKey(text: string, key: string, start: number, end: number): boolean {
  const next = start + key.length
  return (
    text.startsWith(key, start) &&
    (next === end || (next < end && text.charCodeAt(next) === EQUALS))
  )
}

function parseTime(text: string): number | undefined {
  if (text.length === 0 || text.length > 12) return undefined
  if (text.length > 1 && text.charCodeAt(0) === 0x30) return undefined
  let seconds = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) return undefined
    seconds = seconds * 10 + digit
  }
  return seconds
}
