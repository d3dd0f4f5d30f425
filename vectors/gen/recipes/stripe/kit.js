// The vocabulary of the Stripe recipes: secret A signs body P at time T.
import { A, bytes, hmac, T } from '../../kit.js'

export * from '../../kit.js'

export const P =
  '{"id":"evt_100","object":"event","api_version":"2024-06-20","created":1699999990,"type":"invoice.paid","livemode":false,"data":{"object":{"id":"in_100","object":"invoice"}}}'
export const EVENT = {
  id: 'evt_100',
  type: 'invoice.paid',
  idSigned: true,
  occurredAt: '1699999990',
  resource: { kind: 'invoice', id: 'in_100' },
}

/** The right `v1` for a body: the MAC of `t`, `.` and the body. */
export function sign(body = P, t = T, key = A) {
  return hmac(key, bytes(t, '.', body))
}

export const M = sign()

/** Header and body of a delivery that is signed correctly. */
export function signed(body = P, key = A) {
  return { header: `t=${T},v1=${sign(body, T, key)}`, body }
}

/** A delivery that says t, its MAC made for another t. */
export function timed(t, signedT = t) {
  return { header: `t=${t},v1=${sign(P, signedT)}` }
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
