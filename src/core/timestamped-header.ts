import { isBlank, trimBlanks } from './blanks.ts'
import { decodeHex } from './bytes.ts'
import type { HeaderReader } from './headers.ts'
import type { Reason } from './reasons.ts'
import type { SignedParts } from './scheme.ts'
import { type Rejected, reject } from './verdict.ts'

export const MAX_LENGTH = 4096
export const MAX_SIGNATURES = 16
const EQUALS = 0x3d
const T = 0x74
const V = 0x76
const ONE = 0x31

/**
 * Reads `t=<unix seconds>,v1=<hex>[,v1=<hex>]`, where the signed bytes begin with the header's own
 * text of `t` and a dot.
 *
 *     header  = element *( "," element )        SP and HTAB around an element are dropped
 *     element = "t=" time / "v1=" mac / other   a bare "t" or "v1" has an empty value; others are ignored
 *     time    = "0" / ( %x31-39 *11DIGIT )
 *     mac     = 64HEXDIG
 *
 * Scanned by index with the limits first: no pattern, no list of elements, no work a sender can
 * multiply.
 */
export function parseTimestampedHeader(header: HeaderReader, name: string): SignedParts | Rejected {
  const text = header(name)
  if (text === undefined || trimBlanks(text) === '') {
    return refuse('header_missing', `${name} with t= and v1=`)
  }
  if (text.length > MAX_LENGTH) return refuse('header_too_long', `at most ${MAX_LENGTH} characters`)
  let times = 0
  let timeFrom = 0
  let timeTo = 0
  let macs = 0
  let signatures: Uint8Array[] | undefined
  for (let from = 0, to = 0; from <= text.length; from = to + 1) {
    to = text.indexOf(',', from)
    if (to < 0) to = text.length
    let end = to
    while (from < end && isBlank(text.charCodeAt(from))) from++
    while (end > from && isBlank(text.charCodeAt(end - 1))) end--
    // Past the end of the text a character code is NaN, past the end of the element a comma or
    // blank: neither is a key's.
    const first = text.charCodeAt(from)
    if (first === T && endsKey(text, from + 1, end)) {
      times++
      timeFrom = from + 2
      timeTo = end
    } else if (first === V && text.charCodeAt(from + 1) === ONE && endsKey(text, from + 2, end)) {
      if (end <= from + 3) continue
      macs++
      const signature = end - from === 67 ? decodeHex(text, from + 3, end) : undefined
      if (signature === undefined) continue
      if (signatures === undefined) signatures = [signature]
      else signatures.push(signature)
    }
  }
  if (times === 0) return refuse('timestamp_missing', 't=, the unix time of signing')
  if (times > 1) return refuse('timestamp_duplicate', 'one t=')
  const timestamp = parseTime(text, timeFrom, timeTo)
  if (timestamp === undefined) {
    return refuse(
      'timestamp_malformed',
      't= in unix seconds: 1 to 12 digits, no sign and no leading zero',
    )
  }
  if (macs === 0) return refuse('signature_missing', 'v1=, the signature')
  if (macs > MAX_SIGNATURES) {
    return refuse('signatures_too_many', `at most ${MAX_SIGNATURES} v1= values`)
  }
  if (signatures === undefined) return refuse('signature_malformed', 'v1= with 64 hex digits')
  return { head: headOf(text, timeFrom, timeTo), signatures, timestamp }
}

function refuse(reason: Reason, expected: string): Rejected {
  return reject('header', reason, `expected ${expected}`)
}

/** Whether a key ends at an index: with its element, or before an equals sign. */
function endsKey(text: string, index: number, end: number): boolean {
  return index === end || text.charCodeAt(index) === EQUALS
}

/** Unix seconds as 1 to 12 digits without a leading zero; `undefined` for any other text. */
export function parseTime(text: string, from: number, to: number): number | undefined {
  if (from >= to || to > from + 12) return undefined
  if (to > from + 1 && text.charCodeAt(from) === 0x30) return undefined
  let seconds = 0
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) return undefined
    seconds = seconds * 10 + digit
  }
  return seconds
}

/** The header's own text of the time, and a dot. */
function headOf(text: string, from: number, to: number): Uint8Array {
  const head = new Uint8Array(to - from + 1)
  for (let i = from; i < to; i++) head[i - from] = text.charCodeAt(i)
  head[to - from] = 0x2e
  return head
}
