import { decodeUtf8, encodeHex, utf8 } from '../core/bytes.ts'
import { fail } from '../core/errors.ts'
import { discardPromise } from '../core/promises.ts'
import type { Accepted } from '../core/verdict.ts'
import type { Settings } from './settings.ts'
import { signalDelivery } from './signals.ts'
import type { NewDelivery, StoreMode, Waits } from './store.ts'

declare const crypto: {
  readonly subtle: { digest(name: string, bytes: Uint8Array): Promise<ArrayBuffer> }
}

/** Traces in W3C's form; the header is not signed. */
const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/u
/** So long an identifier may be for every database to index it. */
const MAX_ID_LENGTH = 256

/** The row of a delivery; `undefined` for one that nothing identifies. */
export async function rowOf(
  settings: Settings,
  accepted: Accepted<unknown>,
  traceparent: string | undefined,
): Promise<NewDelivery | undefined> {
  const { delivery, body } = readAccepted(accepted)
  const { scheme, idSigned, type, occurredAt, resource, items } = delivery
  if (scheme !== settings.scheme.name) {
    fail(
      'inbox_invalid',
      `this inbox is for ${settings.scheme.name}; give ${scheme} one of its own`,
    )
  }
  if (!idSigned && !settings.acceptUnsignedId) {
    fail(
      'id_unsigned',
      `${scheme} does not sign the id, so a captured delivery can be sent again under another: pass acceptUnsignedId: true and guard every booking by what the body says`,
    )
  }
  const bodySha256 = await sha256(body)
  // A delivery of several parts with ids of their own has none itself: the same bytes are the same
  // delivery, and a part that comes again in other company is caught by once(name, item).
  const id = delivery.id ?? (items && `sha256:${bodySha256}`)
  if (id === undefined) return undefined
  return {
    id: await storable(id),
    type: await storable(type),
    resource: resource && { kind: await storable(resource.kind), id: await storable(resource.id) },
    occurredAt,
    body: bodyText(settings, body),
    bodySha256,
    traceparent:
      traceparent !== undefined && TRACEPARENT.test(traceparent) ? traceparent : undefined,
    claimLimit: settings.maxClaims,
  }
}

/** Records a row, with the integrator's own part of the transaction. */
export async function recordRow(
  settings: Settings,
  row: NewDelivery,
): Promise<'recorded' | 'duplicate'> {
  const { store, onRecord, tell } = settings
  const inTransaction =
    onRecord && ((tx: unknown) => finished(store.mode, onRecord(tx, row), 'onRecord'))
  const result = await store.record(row, inTransaction)
  if (result.outcome === 'duplicate' && result.bodyDiffers) {
    tell({ kind: 'anomaly', what: 'body_differs', delivery: signalDelivery(row) })
  }
  return result.outcome
}

/** What a function of the integrator's gave, unless it is a promise that no `sync` store can wait for. */
export function finished<T>(
  mode: StoreMode,
  result: Waits<StoreMode, T>,
  name: string,
): Waits<StoreMode, T> {
  if (mode === 'sync' && discardPromise(result)) {
    fail(
      'apply_async',
      `this store has one connection, so ${name} must not be async: whatever waits goes into prepare`,
    )
  }
  return result
}

function readAccepted(accepted: Accepted<unknown>): Accepted<unknown> {
  const { ok, body, delivery } = Object(accepted) as Partial<Accepted<unknown>>
  if (ok !== true || !(body instanceof Uint8Array) || typeof delivery !== 'object') {
    fail('inbox_invalid', 'pass the verdict of verify(), once its ok is true')
  }
  return accepted
}

function bodyText({ keepsBody, redact }: Settings, body: Uint8Array): string | undefined {
  if (!keepsBody) return undefined
  // JSON in UTF-8, as it was verified: what no database takes as text can only stand in it escaped.
  const text = decodeUtf8(body)
  if (text === undefined) return fail('inbox_invalid', 'pass the verdict as verify() gave it')
  if (redact === undefined) return text
  const redacted: string | undefined = JSON.stringify(redact(JSON.parse(text)))
  return redacted ?? fail('inbox_invalid', 'redact must return what is to be stored')
}

/** An identifier that every database stores and indexes as it is; of any other, the hash. */
export async function storable(text: string): Promise<string> {
  const isPlain = text.length <= MAX_ID_LENGTH && !/[\p{Cs}\p{Cc}]/u.test(text)
  // As JSON, so that a lone surrogate counts as itself.
  return isPlain ? text : `sha256:${await sha256(utf8(JSON.stringify(text)))}`
}

async function sha256(bytes: Uint8Array): Promise<string> {
  return encodeHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}
