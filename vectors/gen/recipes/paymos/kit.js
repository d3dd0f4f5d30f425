// The vocabulary of the Paymos recipes: secret A signs body P at time T.
import { A, bytes, hmac, T } from '../../kit.js'

export * from '../../kit.js'

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

/** The right `v1` for a body: the MAC of `t`, `.` and the body. */
export function sign(body = P, t = T, key = A) {
  return hmac(key, bytes(t, '.', body))
}

export const M = sign()

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
