// The vocabulary of the recipes. A recipe states its expectation by hand; only MACs are computed.
import { createHmac } from 'node:crypto'

/** The usual time. */
export const T = '1700000000'
export const A = 'test_only_secret_a'
export const B = 'test_only_secret_b'
export const C = 'test_only_secret_c'
export const Z = '0'.repeat(64)
export const FF = 'f'.repeat(64)

/** HMAC-SHA256 of `message` under `key`, as lower-case hex. */
export function hmac(key, message) {
  return createHmac('sha256', raw(key)).update(raw(message)).digest('hex')
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
