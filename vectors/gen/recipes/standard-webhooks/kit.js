// The vocabulary of the Standard Webhooks recipes: key A signs id ID, time T and body P.
import { createHmac } from 'node:crypto'
import { bytes, raw, T } from '../../kit.js'

export { big, bytes, choose, FF, hex, hmac, raw, refuse, T } from '../../kit.js'

/** Keys, and the secrets that hold them. */
export const KEY_A = 'test_only_standard_key_a'
export const KEY_B = 'test_only_standard_key_b'
export const KEY_C = 'test_only_standard_key_c'
export const secretOf = (key) => `whsec_${raw(key).toString('base64')}`
export const [A, B, C] = [KEY_A, KEY_B, KEY_C].map(secretOf)

export const ID = 'msg_100'
export const P = '{"type":"contact.created","timestamp":"2023-11-14T22:13:10Z","data":{"id":"100"}}'
export const EVENT = { id: ID, type: 'contact.created', idSigned: true, occurredAt: '1699999990' }

/** The MAC of id, time and body, in base64. */
export function sign(body = P, { id = ID, t = T, key = KEY_A } = {}) {
  return createHmac('sha256', raw(key))
    .update(bytes(id, '.', t, '.', body))
    .digest('base64')
}

export const M = sign()
export const Z = Buffer.alloc(32).toString('base64')

/** The three lines; `null` leaves one out. */
export function lines(list, { id = ID, t = T, family = 'webhook-' } = {}) {
  return [
    [`${family}id`, id],
    [`${family}timestamp`, t],
    [`${family}signature`, list],
  ].filter(([, value]) => value !== null)
}

/** Headers and body of a delivery that is signed correctly. */
export function signed(body = P, key = KEY_A) {
  return { headers: lines(`v1,${sign(body, { key })}`), body }
}

/** A delivery that says t, its MAC made for another t. */
export function timed(t, signedT = t) {
  return { headers: lines(`v1,${sign(P, { t: signedT })}`, { t }) }
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
