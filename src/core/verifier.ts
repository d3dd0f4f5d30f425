import { limit, openBody, openBodySync } from './body.ts'
import { decodeUtf8, equal } from './bytes.ts'
import type { SyncHmacKey } from './engine.ts'
import { fail } from './errors.ts'
import { judgeFreshness, readClock } from './freshness.ts'
import { type HeaderReader, headerReader } from './headers.ts'
import type { StandardSchema } from './options.ts'
import type { Plan } from './plan.ts'
import { discardPromise } from './promises.ts'
import type { SyncWebhookInput, WebhookInput } from './request.ts'
import type { SignedParts } from './scheme.ts'
import type { Key } from './secrets.ts'
import { type Accepted, isRejected, type Rejected, reject, type Verdict } from './verdict.ts'

/**
 * Verifies one delivery, in the fixed order: header, freshness, size, signature, body, envelope,
 * schema.
 */
export async function runVerify(plan: Plan, request: WebhookInput): Promise<Verdict<unknown>> {
  assertObject(request)
  const header = headerReader(request.headers)
  const opened = openBody(request, header)
  const parts = judgeHeader(plan, header)
  if (isRejected(parts)) return parts
  // Read to the end or copied: from here on nobody else holds these bytes, however long a step may
  // wait.
  const body =
    typeof opened === 'function'
      ? await opened(plan.maxBodyBytes)
      : limit(typeof opened === 'string' ? opened : new Uint8Array(opened), plan.maxBodyBytes)
  if (!(body instanceof Uint8Array)) return body
  const match = await authenticate(plan, parts, body)
  if (match === undefined) return mismatch(plan, body, header)
  const decoded = decode(plan, parts, body, match)
  if (isRejected(decoded) || plan.schema === undefined) return decoded
  return applySchema(decoded, await plan.schema['~standard'].validate(decoded.event))
}

/** The same line for a body in memory and an engine that answers at once. */
export function runVerifySync(
  plan: Plan<SyncHmacKey>,
  request: SyncWebhookInput,
): Verdict<unknown> {
  assertObject(request)
  const header = headerReader(request.headers)
  const opened = openBodySync(request.body, header)
  const parts = judgeHeader(plan, header)
  if (isRejected(parts)) return parts
  const body = limit(opened, plan.maxBodyBytes)
  if (!(body instanceof Uint8Array)) return body
  const match = authenticateSync(plan, parts, body)
  if (match === undefined) return mismatch(plan, body, header)
  const decoded = decode(plan, parts, body, match)
  if (isRejected(decoded) || plan.schema === undefined) return decoded
  const result = plan.schema['~standard'].validate(decoded.event)
  if (discardPromise(result)) {
    fail('schema_async', 'this schema answers with a promise; use verify from hookproof')
  }
  return applySchema(decoded, result as SchemaAnswer)
}

type Match = Accepted<unknown>['matched']

/** Header syntax, then freshness: all that is judged before a byte of the body is read. */
function judgeHeader(plan: Plan, header: HeaderReader) {
  const parts = plan.scheme.parse(header)
  if (isRejected(parts) || plan.toleranceSeconds === Number.POSITIVE_INFINITY) return parts
  const { timestamp } = parts
  if (typeof timestamp !== 'number' || Number.isNaN(timestamp)) {
    fail(
      'scheme_invalid',
      `${plan.scheme.name} has toleranceSeconds, but parse() gave no timestamp`,
    )
  }
  return judgeFreshness(timestamp, readClock(plan.now), plan.toleranceSeconds) ?? parts
}

async function authenticate(
  { keys }: Plan,
  { head, signatures }: SignedParts,
  body: Uint8Array,
): Promise<Match | undefined> {
  for (let secret = 0; secret < keys.length; secret++) {
    const { id, hmac } = keys[secret] as Key
    const signature = indexOf(await hmac.mac(head, body), signatures)
    if (signature >= 0) return matchOf(secret, id, signature)
  }
  return undefined
}

function authenticateSync(
  { keys }: Plan<SyncHmacKey>,
  { head, signatures }: SignedParts,
  body: Uint8Array,
): Match | undefined {
  for (let secret = 0; secret < keys.length; secret++) {
    const { id, hmac } = keys[secret] as Key<SyncHmacKey>
    const signature = indexOf(hmac.mac(head, body), signatures)
    if (signature >= 0) return matchOf(secret, id, signature)
  }
  return undefined
}

function matchOf(secret: number, secretId: string | undefined, signature: number): Match {
  return secretId === undefined ? { secret, signature } : { secret, secretId, signature }
}

/**
 * The first signature that equals the MAC, -1 if none does. Every one is compared, whichever
 * matches.
 */
function indexOf(mac: Uint8Array, signatures: readonly Uint8Array[]): number {
  if (mac.length !== 32) {
    fail('engine_unavailable', 'the engine gave no 32 bytes')
  }
  let found = -1
  for (let i = signatures.length - 1; i >= 0; i--) {
    if (equal(mac, signatures[i] as Uint8Array)) found = i
  }
  return found
}

/**
 * Says how many bytes there were, for a comparison with the sender's log, and whether they may have
 * been lost or packed on the way.
 */
function mismatch({ keys }: Plan, body: Uint8Array, header: HeaderReader): Rejected {
  const empty = body.length === 0 ? '; was it read before?' : ''
  const packed = header('content-encoding') === undefined ? '' : '; note its Content-Encoding'
  return reject(
    'signature',
    'signature_mismatch',
    `no signature fits these ${body.length} bytes under ${keys.length} secret(s); expected the endpoint's own secret and the body as received${empty}${packed}`,
  )
}

function decode(
  { scheme }: Plan,
  parts: SignedParts,
  body: Uint8Array,
  matched: Match,
): Accepted<unknown> | Rejected {
  const text = decodeUtf8(body)
  if (text === undefined) return reject('body', 'body_not_utf8', 'expected UTF-8 text')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return reject('body', 'body_not_json', 'expected one JSON document')
  }
  const decoded = scheme.decode(json, parts)
  if (isRejected(decoded)) return decoded
  const { event, delivery, warnings = [] } = decoded
  const { timestamp } = parts
  return timestamp === undefined
    ? { ok: true, event, delivery, matched, body, warnings }
    : { ok: true, event, delivery, timestamp, matched, body, warnings }
}

type SchemaAnswer = Awaited<ReturnType<StandardSchema<unknown>['~standard']['validate']>>

function applySchema(accepted: Accepted<unknown>, result: SchemaAnswer): Verdict<unknown> {
  if (typeof result === 'object' && result !== null) {
    // Not the issues' texts: a library may quote the body in them.
    if (result.issues) {
      return reject('schema', 'schema_invalid', `the schema found ${result.issues.length} issue(s)`)
    }
    if ('value' in result) return { ...accepted, event: result.value }
  }
  return fail('schema_malformed', 'the schema gave neither a value nor issues')
}

function assertObject(request: unknown): void {
  if (typeof request !== 'object' || request === null) {
    fail('headers_invalid', 'pass the request itself, or { headers, body }')
  }
}
