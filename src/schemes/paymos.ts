// X-Webhook-Signature: t=<unix>,v1=<hex>[,v1=<hex>]; signed are t, a dot and the body.
import { trimBlanks } from '../core/blanks.ts'
import { encodeHex } from '../core/bytes.ts'
import { isText, judgeEnvelope } from '../core/envelope.ts'
import type { Scheme } from '../core/scheme.ts'
import { parseTimestampedHeader } from '../core/timestamped-header.ts'
import { type Delivery, isRejected } from '../core/verdict.ts'
import type { PaymosEvent } from '../events/paymos.ts'

/**
 * Paymos (docs.paymos.io, Webhooks). The whole secret is the key, `whsec_` included. Dedupe on
 * `delivery.id`, the signed body's `event_id`; the header `X-Webhook-Id` is not signed, and only
 * compared.
 */
export const paymos: Scheme<PaymosEvent> = {
  name: 'paymos',
  toleranceSeconds: 300,
  decodeKey: (secret) => secret,
  parse(header) {
    const parts = parseTimestampedHeader(header, 'x-webhook-signature')
    const id = header('x-webhook-id')
    return isRejected(parts) || id === undefined ? parts : { ...parts, id }
  },
  decode(json, { id }) {
    const fault = judgeEnvelope(json, ENVELOPE)
    if (fault !== undefined) return fault
    const event = json as PaymosEvent
    const differs = id !== undefined && trimBlanks(id) !== event.event_id
    return { event, delivery: describe(event), warnings: differs ? ['delivery_id_mismatch'] : [] }
  },
  format({ id, timestamp }, macs) {
    const signatures = macs.map((mac) => `,v1=${encodeHex(mac)}`).join('')
    return {
      'X-Webhook-Signature': `t=${timestamp}${signatures}`,
      'X-Webhook-Timestamp': `${timestamp}`,
      ...(id !== undefined && { 'X-Webhook-Id': id }),
    }
  },
}

const ENVELOPE = [
  ['event_id', 'non-blank text'],
  ['event_type', 'non-blank text'],
  ['version', 'integer from 1'],
  ['occurred_at', 'integer from 0'],
  ['data', 'object'],
] as const

/** The family of an event type names the field that holds the resource's id. */
const RESOURCES = [
  ['invoice.', 'invoice', 'invoice_id'],
  ['withdrawal.', 'withdrawal', 'withdrawal_id'],
  ['payment_channel.deposit.', 'payment_channel_deposit', 'id'],
] as const

function describe(event: PaymosEvent): Delivery {
  const { event_id, event_type, occurred_at } = event
  const family = RESOURCES.find(([prefix]) => event_type.startsWith(prefix))
  const id = family && (event.data as Record<string, unknown>)[family[2]]
  return {
    scheme: 'paymos',
    id: event_id,
    idSigned: true,
    type: event_type,
    occurredAt: occurred_at,
    ...(family && isText(id) && { resource: { kind: family[1], id } }),
  }
}
