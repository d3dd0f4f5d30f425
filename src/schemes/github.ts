// X-Hub-Signature-256: sha256=<hex>; signed is the body alone.
import { isObject } from '../core/envelope.ts'
import { formatHubSignature, parseHubSignature } from '../core/hub-signature.ts'
import type { Scheme } from '../core/scheme.ts'
import { isRejected, reject } from '../core/verdict.ts'
import type { GitHubEvent } from '../events/github.ts'

/**
 * GitHub (docs.github.com, "Validating webhook deliveries"), with the content type
 * application/json. No time is signed: a captured delivery verifies for ever. Event and delivery id
 * stand in unsigned headers, `X-GitHub-Event` and `X-GitHub-Delivery`: a replay can carry others.
 * `delivery.type` is empty without the first.
 */
export const github: Scheme<GitHubEvent> = {
  name: 'github',
  decodeKey: (secret) => secret,
  parse(header) {
    const parts = parseHubSignature(header)
    const id = header('x-github-delivery')
    const type = header('x-github-event')
    return isRejected(parts) ? parts : { ...parts, ...(id && { id }), ...(type && { type }) }
  },
  decode(json, { id, type = '' }) {
    if (!isObject(json)) return reject('envelope', 'envelope_not_object', 'expected a JSON object')
    const delivery = { scheme: 'github', idSigned: false, type }
    return { event: json, delivery: id === undefined ? delivery : { ...delivery, id } }
  },
  format: ({ id }, macs) => ({
    ...formatHubSignature(macs),
    ...(id !== undefined && { 'X-GitHub-Delivery': id }),
  }),
}
