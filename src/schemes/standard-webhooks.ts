// webhook-signature: v1,<base64>[ v1,<base64>]; signed are webhook-id, webhook-timestamp and the
// body, with dots between.
import { trimBlanks } from '../core/blanks.ts'
import { decodeBase64, decodeUtf8, encodeBase64, utf8 } from '../core/bytes.ts'
import { isObject, isText, unixSeconds } from '../core/envelope.ts'
import type { Reason } from '../core/reasons.ts'
import type { Scheme } from '../core/scheme.ts'
import { MAX_LENGTH, MAX_SIGNATURES, parseTime } from '../core/timestamped-header.ts'
import { reject } from '../core/verdict.ts'
import type { StandardWebhooksEvent } from '../events/standard-webhooks.ts'

/**
 * Standard Webhooks (the specification of github.com/standard-webhooks), as Svix and many others
 * send them; without a `webhook-signature` the `svix-` names are read. The secret is base64, with
 * or without `whsec_`; only `v1` counts. Dedupe on `delivery.id`, the signed `webhook-id`.
 */
export const standardWebhooks: Scheme<StandardWebhooksEvent> = {
  name: 'standardWebhooks',
  toleranceSeconds: 300,
  decodeKey: (secret) => decodeBase64(decodeUtf8(secret)?.replace(/^whsec_/u, '') ?? '='),
  parse(header) {
    const prefix = header('webhook-signature') === undefined ? 'svix-' : 'webhook-'
    const refuse = (reason: Reason, expected: string) =>
      reject('header', reason, `expected ${prefix}${expected}`)
    const text = header(`${prefix}signature`) ?? ''
    const id = header(`${prefix}id`) ?? ''
    const time = header(`${prefix}timestamp`) ?? ''
    if (!trimBlanks(text)) return refuse('header_missing', 'signature')
    if (text.length > MAX_LENGTH) return refuse('header_too_long', 'signature below 4 KiB')
    if (!id) return refuse('header_missing', 'id')
    if (!/^[!-~]{1,256}$/u.test(id)) return refuse('header_malformed', 'id in ASCII')
    if (!time) return refuse('timestamp_missing', 'timestamp')
    const timestamp = parseTime(time, 0, time.length)
    if (timestamp === undefined) return refuse('timestamp_malformed', 'timestamp in unix seconds')
    const values = text.split(' ').filter((value) => /^v1,./su.test(value))
    if (values.length === 0) return refuse('signature_missing', 'signature v1,')
    if (values.length > MAX_SIGNATURES)
      return refuse('signatures_too_many', 'signature v1, 16 times at most')
    const signatures = values
      .map((value) => decodeBase64(value.slice(3)))
      .filter((signature) => signature?.length === 32) as Uint8Array[]
    if (signatures.length === 0) return refuse('signature_malformed', 'signature v1, in base64')
    return { head: utf8(`${id}.${time}.`), signatures, timestamp, id }
  },
  decode(json, { id }) {
    if (!isObject(json)) return reject('envelope', 'envelope_not_object', 'expected a JSON object')
    const occurredAt = unixSeconds(json.timestamp)
    const delivery = {
      scheme: 'standardWebhooks',
      id: id as string,
      idSigned: true,
      type: isText(json.type) ? json.type : '',
      ...(occurredAt !== undefined && { occurredAt }),
    }
    return { event: json, delivery }
  },
  format: ({ id = '', timestamp }, macs) => ({
    'webhook-id': id,
    'webhook-timestamp': `${timestamp}`,
    'webhook-signature': macs.map((mac) => `v1,${encodeBase64(mac)}`).join(' '),
  }),
}
