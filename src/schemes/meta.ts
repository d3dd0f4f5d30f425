// X-Hub-Signature-256: sha256=<hex>; signed is the body alone.
import { equal, utf8 } from '../core/bytes.ts'
import { isObject, isText, judgeEnvelope } from '../core/envelope.ts'
import { fail } from '../core/errors.ts'
import { formatHubSignature, parseHubSignature } from '../core/hub-signature.ts'
import type { Scheme } from '../core/scheme.ts'
import type { MetaEvent } from '../events/meta.ts'

declare const URLSearchParams: new (query: string) => { get(name: string): string | null }

/**
 * Meta: WhatsApp, Messenger, Instagram (developers.facebook.com, Graph API, Webhooks). The secret
 * is the app secret. No time and no delivery id exist; one delivery carries many messages, whose
 * signed ids are in `delivery.items`: dedupe on each of them.
 */
export const meta: Scheme<MetaEvent> = {
  name: 'meta',
  decodeKey: (secret) => secret,
  parse: parseHubSignature,
  decode(json) {
    const fault = judgeEnvelope(json, [
      ['object', 'non-blank text'],
      ['entry', 'array'],
    ])
    if (fault !== undefined) return fault
    const event = json as MetaEvent
    const items = list(event.entry).flatMap(messageIds)
    return { event, delivery: { scheme: 'meta', idSigned: true, type: event.object, items } }
  },
  format: (_, macs) => formatHubSignature(macs),
}

/**
 * `meta` that also answers the GET by which Meta subscribes an endpoint, for whoever knows the
 * verify token.
 */
export function subscribableMeta(verifyToken: string): Scheme<MetaEvent> {
  if (!isText(verifyToken)) fail('secret_missing', 'the verify token is empty or not set')
  return {
    ...meta,
    handshake({ method, url }) {
      const query = new URLSearchParams(url.replace(/^[^?]*\??/u, ''))
      if (method !== 'GET' || query.get('hub.mode') !== 'subscribe') return undefined
      const challenge = query.get('hub.challenge') ?? ''
      const known = equal(utf8(query.get('hub.verify_token') ?? ''), utf8(verifyToken))
      // Only what Meta sends, a number, is ever sent back.
      return known && /^\d{1,64}$/u.test(challenge)
        ? { status: 200, body: challenge }
        : { status: 403, body: '' }
    },
  }
}

/** The ids of an entry's messages: of Messenger and Instagram, or of WhatsApp. */
function messageIds(entry: { readonly [key: string]: unknown }): string[] {
  const direct = list(entry.messaging).map(({ message }) => isObject(message) && message.mid)
  const changed = list(entry.changes).flatMap(({ value }) =>
    isObject(value) ? list(value.messages).map(({ id }) => id) : [],
  )
  return [...direct, ...changed].filter(isText)
}

function list(value: unknown): { readonly [key: string]: unknown }[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
