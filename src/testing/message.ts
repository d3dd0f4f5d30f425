import { utf8 } from '../core/bytes.ts'
import { isObject, isText } from '../core/envelope.ts'
import type { Scheme, SignedHeaders } from '../core/scheme.ts'
import type { Secret } from '../core/secrets.ts'
import { createSigner } from '../index.ts'
import { paymos } from '../schemes/paymos.ts'
import { randomId } from './random.ts'

/** An event as it is sent: serialised once, so that every attempt carries identical bytes. */
export interface Message {
  /** Every attempt and every resend keeps it. */
  readonly id: string
  readonly type: string
  readonly body: Uint8Array
  /** Sent beside the signed headers. */
  readonly headers: SignedHeaders
}

export interface MessageOptions {
  /** For a provider that puts it into a header; default: what the event says, else a new one. */
  readonly id?: string | undefined
  readonly type?: string | undefined
  /** Such as `X-GitHub-Event`. */
  readonly headers?: SignedHeaders | undefined
}

/** Serialises an event. */
export function toMessage(event: object, options: MessageOptions = {}): Message {
  const fields: unknown = event
  const { event_id, event_type, id, type } = isObject(fields) ? fields : {}
  const text = (...values: unknown[]) => values.find(isText)
  return {
    id: text(options.id, event_id, id) ?? randomId('msg'),
    type: text(options.type, event_type, type) ?? '',
    body: utf8(JSON.stringify(event)),
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...options.headers },
  }
}

export interface DeliveryOrder extends MessageOptions {
  readonly event: object
  /** Several: one signature each, as during a rotation. */
  readonly secret: Secret | readonly Secret[]
  /** Default: Paymos. */
  readonly scheme?: Scheme<unknown> | undefined
  /** Unix seconds, default: now. */
  readonly timestamp?: number | undefined
}

/**
 * A delivery as its provider sends it, for `verify` or for a request to a handler.
 *
 * @example
 * ```ts
 * import { verify } from 'hookproof'
 * import { paymosEvent, signedDelivery } from 'hookproof/testing'
 *
 * const secret = 'test_only_secret'
 * const delivery = await signedDelivery({ event: paymosEvent('invoice.paid'), secret })
 * console.log((await verify(delivery, { secret })).ok)
 * ```
 */
export async function signedDelivery({
  event,
  secret,
  scheme = paymos,
  timestamp,
  ...options
}: DeliveryOrder): Promise<{ readonly headers: SignedHeaders; readonly body: Uint8Array }> {
  const { id, body, headers } = toMessage(event, options)
  const signed = await createSigner({ secret, scheme }).sign({ body, id, timestamp })
  return { headers: { ...headers, ...signed }, body }
}
