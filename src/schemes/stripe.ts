// Stripe-Signature: t=<unix>,v1=<hex>[,v1=<hex>][,v0=<hex>]; signed are t, a dot and the body.
import { encodeHex } from '../core/bytes.ts'
import { isObject, isText, judgeEnvelope, unixSeconds } from '../core/envelope.ts'
import type { Scheme } from '../core/scheme.ts'
import { parseTimestampedHeader } from '../core/timestamped-header.ts'
import type { Delivery } from '../core/verdict.ts'
import type { StripeEvent } from '../events/stripe.ts'

/**
 * Stripe (docs.stripe.com/webhooks, "Verify webhook signatures manually"). The whole secret is the
 * key, `whsec_` included; only `v1` counts. Snapshot events and thin events (`v2.core.event`)
 * alike; dedupe on `delivery.id`, the signed event's `id`.
 */
export const stripe: Scheme<StripeEvent> = {
  name: 'stripe',
  toleranceSeconds: 300,
  decodeKey: (secret) => secret,
  parse: (header) => parseTimestampedHeader(header, 'stripe-signature'),
  decode(json) {
    const fault = judgeEnvelope(json, [
      ['id', 'non-blank text'],
      ['type', 'non-blank text'],
    ])
    if (fault !== undefined) return fault
    const event = json as StripeEvent
    return { event, delivery: describe(event) }
  },
  format: ({ timestamp }, macs) => ({
    'Stripe-Signature': `t=${timestamp}${macs.map((mac) => `,v1=${encodeHex(mac)}`).join('')}`,
  }),
}

function describe({ id, type, created, data, related_object }: StripeEvent): Delivery {
  const occurredAt = unixSeconds(created)
  // A snapshot event carries the object, a thin one refers to it.
  const subject: unknown = isObject(data) ? data.object : related_object
  const kind = isObject(subject) ? (subject.object ?? subject.type) : undefined
  const subjectId = isObject(subject) ? subject.id : undefined
  return {
    scheme: 'stripe',
    id,
    idSigned: true,
    type,
    ...(occurredAt !== undefined && { occurredAt }),
    ...(isText(kind) && isText(subjectId) && { resource: { kind, id: subjectId } }),
  }
}
