import { createHmac } from 'node:crypto'

/**
 * The provider's published delivery (conformance/contract.json of its SDKs): the second of the two
 * signatures is right.
 */
export const OFFICIAL = {
  secret: 'whsec_test_secret',
  now: 1700000000,
  body: '{"event_id":"evt_123","event_type":"invoice.paid","version":1,"occurred_at":1700000000,"data":{"invoice_id":"inv_123"}}',
  header:
    't=1700000000,v1=ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff,v1=8f62822925c2d12af1b822edcc1e9392ce064c20d003cbbc11f131485348005b',
} as const

export const SECRET = 'test_only_secret_A'
export const NOW = 1700000000
export const options = { secret: SECRET, now: () => NOW }

export const EVENT = {
  event_id: 'evt_1',
  event_type: 'invoice.paid',
  version: 1,
  occurred_at: NOW,
  data: { invoice_id: 'inv_1' },
}
export const BODY = JSON.stringify(EVENT)

/** The MAC by node:crypto, as hex. */
export function mac(
  body: string | Uint8Array,
  secret: string | Uint8Array = SECRET,
  t: number | string = NOW,
): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
}

/** A signature header by node:crypto. */
export function signed(
  body: string | Uint8Array,
  secret?: string | Uint8Array,
  t: number | string = NOW,
): string {
  return `t=${t},v1=${mac(body, secret, t)}`
}

/** A delivery with a right signature. */
export function delivery<B extends string | Uint8Array>(
  body: B,
  secret?: string | Uint8Array,
  t: number | string = NOW,
) {
  return { headers: { 'x-webhook-signature': signed(body, secret, t) }, body }
}
