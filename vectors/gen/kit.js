// The vocabulary of the recipes. A recipe states its expectation by hand; only MACs are computed.
import { createHmac } from 'node:crypto'

/** The usual delivery: secret A signs body P at time T. */
export const T = '1700000000'
export const A = 'test_only_secret_a'
export const B = 'test_only_secret_b'
export const C = 'test_only_secret_c'
export const P =
  '{"event_id":"evt_100","event_type":"invoice.paid","version":1,"occurred_at":1699999990,"data":{"invoice_id":"inv_100"}}'
export const EVENT = {
  id: 'evt_100',
  type: 'invoice.paid',
  known: true,
  version: '1',
  occurredAt: '1699999990',
  resource: { kind: 'invoice', id: 'inv_100' },
}

/** HMAC-SHA256 of `message` under `key`, as lower-case hex. */
export function hmac(key, message) {
  return createHmac('sha256', raw(key)).update(raw(message)).digest('hex')
}

/** The right `v1` for a body: the MAC of `t`, `.` and the body. */
export function sign(body = P, t = T, key = A) {
  return hmac(key, bytes(t, '.', body))
}

export const M = sign()
export const Z = '0'.repeat(64)
export const FF = 'f'.repeat(64)

/** Header and body of a delivery that is signed correctly. */
export function signed(body, t = T, key = A) {
  return { header: `t=${t},v1=${sign(body, t, key)}`, body }
}

/** The text of an envelope; `undefined` leaves a field out. */
export function envelope(fields = {}) {
  return JSON.stringify({
    event_id: 'evt_100',
    event_type: 'invoice.paid',
    version: 1,
    occurred_at: 1699999990,
    data: { invoice_id: 'inv_100' },
    ...fields,
  })
}

/** The text of an envelope in which one field has exactly this JSON text. */
export function envelopeWith(field, json) {
  return envelope({ [field]: '@' }).replace('"@"', () => json)
}

/** The text of an envelope whose `data` has exactly this JSON text. */
export function envelopeData(json) {
  return envelopeWith('data', json)
}

/** What a verifier reports for the usual delivery, with the given parts replaced. */
export function accept(output = {}) {
  return {
    result: 'valid',
    output: {
      timestamp: T,
      matched: { secret: 0, signature: 0 },
      warnings: [],
      event: EVENT,
      ...output,
    },
  }
}

/** What a verifier reports for the usual delivery with another event; `undefined` drops a part. */
export function acceptEvent(event) {
  return accept({ event: { ...EVENT, ...event } })
}

export function refuse(reason) {
  return { result: 'invalid', reason }
}

/** A case that is left open: any of the outcomes will do, the first one is preferred. */
export function choose(choice, ...oneOf) {
  return { result: 'acceptable', choice, oneOf, preferred: 0 }
}

/**
 * Bytes too long or too repetitive to be stored: each piece is text, bytes, or `[piece, times]`.
 * Pieces that are big themselves are taken apart.
 */
export function big(...pieces) {
  return {
    pieces: pieces.flatMap((piece) => {
      if (Array.isArray(piece)) return [piece]
      return piece.pieces ?? [[piece, 1]]
    }),
  }
}

/** Text, bytes and big bytes in a row, as a Buffer. */
export function bytes(...values) {
  return Buffer.concat(values.map(raw))
}

export function raw(value) {
  if (typeof value === 'string') return Buffer.from(value, 'utf8')
  if (value instanceof Uint8Array) return Buffer.from(value)
  return Buffer.concat(
    value.pieces.map(([unit, times]) => {
      const once = raw(unit)
      return times === 1 ? once : Buffer.alloc(once.length * times, once)
    }),
  )
}

export function hex(text) {
  return Buffer.from(text, 'hex')
}
