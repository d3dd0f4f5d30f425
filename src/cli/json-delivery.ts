import { decodeUtf8, utf8 } from '../core/bytes.ts'
import { isObject } from '../core/envelope.ts'
import type { SavedDelivery } from './saved-delivery.ts'
import { misuse } from './usage-error.ts'

type Pair = readonly [name: string, value: string]

/**
 * Reads `{ headers, body }`; other members, such as those of a serverless event, are passed over.
 */
export function readJsonDelivery(file: Uint8Array): SavedDelivery {
  const delivery = parse(file)
  return {
    headers: readHeaders(delivery.headers),
    body: readBody(delivery),
    leftOut: 0,
    isFramed: true,
  }
}

function parse(file: Uint8Array): { readonly [member: string]: unknown } {
  const text = decodeUtf8(file)
  if (text === undefined) malformed('it is not UTF-8 text')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // The parser's own message quotes the text.
    malformed('it begins with a brace, but is not one JSON document')
  }
  return isObject(json) ? json : malformed('it is no object')
}

function readHeaders(headers: unknown): Pair[] {
  if (isObject(headers)) return Object.entries(headers).flatMap(toPairs)
  if (!Array.isArray(headers)) malformed('headers must be an object, or a list of [name, value]')
  return headers.flatMap((pair) =>
    Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string'
      ? toPairs(pair as [string, unknown])
      : malformed('headers as a list must hold [name, value] pairs'),
  )
}

function toPairs([name, value]: [string, unknown]): Pair[] {
  if (typeof value === 'string') return [[name, value]]
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) {
    return value.map((line) => [name, line])
  }
  return malformed("each header's value must be text, or a list of texts")
}

function readBody({
  body,
  isBase64Encoded,
  bodyEncoding,
}: {
  readonly [member: string]: unknown
}): Uint8Array {
  if (!['undefined', 'boolean'].includes(typeof isBase64Encoded)) {
    malformed('isBase64Encoded must be true or false')
  }
  if (bodyEncoding !== undefined && bodyEncoding !== 'base64') {
    malformed('bodyEncoding can only be "base64"; leave it out for text')
  }
  if (isBase64Encoded === false && bodyEncoding === 'base64') {
    malformed('isBase64Encoded and bodyEncoding contradict each other')
  }
  // Serverless platforms write null for a body of no bytes.
  if (body === null) return new Uint8Array(0)
  if (typeof body !== 'string') {
    malformed(
      body === undefined
        ? 'body is missing'
        : 'body must be text: a parsed body is not what was signed, save it as it was received',
    )
  }
  return isBase64Encoded === true || bodyEncoding === 'base64' ? fromBase64(body) : fromText(body)
}

/**
 * Canonical base64 only (RFC 4648 §4); the decoder skips what it does not know, so the way back has
 * to agree.
 */
function fromBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : malformed('body is not base64 with padding')
}

function fromText(text: string): Uint8Array {
  if (/\p{Cs}/u.test(text)) malformed('body holds half a character (a lone surrogate)')
  return utf8(text)
}

function malformed(message: string): never {
  misuse('delivery_malformed', `the delivery file is no { headers, body }: ${message}`)
}
