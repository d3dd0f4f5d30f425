import type { HeadersInput, RawBody, WebhookInput } from 'hookproof'
import { createVerifier, verify, verifyOrThrow } from 'hookproof'
import {
  constructEvent,
  createSyncVerifier,
  type SyncWebhookInput,
  verifySync,
} from 'hookproof/sync'

const options = { secret: 'whsec_1' }
const bytes = new Uint8Array()
const headers: HeadersInput = {}

export const bodies: readonly RawBody[] = [
  '{}',
  bytes,
  bytes.buffer,
  new DataView(bytes.buffer),
  new Uint16Array(1),
  some<AsyncIterable<Uint8Array>>(),
  some<AsyncGenerator<Uint8Array>>(),
]

export const headerForms: readonly HeadersInput[] = [
  { 'x-webhook-signature': 't=1,v1=00' },
  { 'X-Webhook-Signature': ['t=1,v1=00', 't=2,v1=00'], 'x-absent': undefined },
  [['x-webhook-signature', 't=1,v1=00']],
  new Map([['x-webhook-signature', 't=1,v1=00']]),
  { get: (name: string) => (name === 'x-webhook-signature' ? 't=1,v1=00' : null) },
]

export const inputs: readonly WebhookInput[] = [
  { headers, body: '{}' },
  { headers, body: null },
  { headers, body: bytes, bodyUsed: false },
  some<{ headers: Map<string, string>; body: Uint8Array; url: string; ip: string }>(),
]

export async function typosAreRefused(): Promise<void> {
  // @ts-expect-error TS2345: `body` is missing
  await verify({ headers }, options)
  // @ts-expect-error TS2561: `header` is not `headers`
  await verify({ header: {}, body: '' }, options)
  // @ts-expect-error TS2353: an unknown property beside the right ones
  await verify({ headers, body: '', rawBody: '' }, options)
  // @ts-expect-error TS2345: the arguments the other way round
  await verify(options, { headers, body: '' })
  // @ts-expect-error TS2345: not a request
  await verify('{}', options)
  // @ts-expect-error TS2345: the guard against a declaration that turned into any
  await verify(42, options)
  // @ts-expect-error TS2554: no options
  await verify({ headers, body: '' })
  // @ts-expect-error TS2561: `toleranceSecond` is not `toleranceSeconds`
  await verify({ headers, body: '' }, { secret: 'whsec_1', toleranceSecond: 5 })
  // @ts-expect-error TS2322: switching the check off is the word 'unlimited'
  await verify({ headers, body: '' }, { secret: 'whsec_1', toleranceSeconds: 'none' })
  // @ts-expect-error TS2322: a clock is a function
  await verify({ headers, body: '' }, { secret: 'whsec_1', now: 1 })
  // @ts-expect-error TS2353: the same of a verifier's options
  createVerifier({ secret: 'whsec_1', maxBodySize: 1 })
}

export async function parsedBodiesAreRefused(): Promise<void> {
  // @ts-expect-error TS2353: a parsed object
  await verify({ headers, body: { event_id: 'evt_1' } }, options)
  // @ts-expect-error TS2322: a body that nobody typed
  await verify({ headers, body: some<unknown>() }, options)
  // @ts-expect-error TS2322: the same of the throwing verb
  await verifyOrThrow({ headers, body: some<unknown>() }, options)
  // @ts-expect-error TS2322: a list of numbers is no bytes
  await verify({ headers, body: [1, 2] }, options)
  // @ts-expect-error TS2322: a promise of the text
  await verify({ headers, body: some<Promise<string>>() }, options)
  // @ts-expect-error TS2322: chunks of text
  await verify({ headers, body: some<AsyncIterable<string>>() }, options)
}

export async function headersOfAnotherShapeAreRefused(): Promise<void> {
  // @ts-expect-error TS2322: Node's rawHeaders, a flat list
  await verify({ headers: some<string[]>(), body: '' }, options)
  // @ts-expect-error TS2322: the signature itself
  await verify({ headers: 't=1,v1=00', body: '' }, options)
  // @ts-expect-error TS2322: a number is no header
  await verify({ headers: { 'content-length': 2 }, body: '' }, options)
}

export const syncInputs: readonly SyncWebhookInput[] = [
  { headers, body: '{}' },
  { headers, body: bytes },
  { headers, body: bytes.buffer },
  { headers, body: null },
]

export function theSyncFaceTakesBodiesInMemory(): void {
  verifySync({ headers, body: bytes }, options)
  // @ts-expect-error TS2322: a stream has to be waited for
  verifySync({ headers, body: some<AsyncIterable<Uint8Array>>() }, options)
  // @ts-expect-error TS2353: a parsed object
  constructEvent({ headers, body: { event_id: 'evt_1' } }, options)
  // @ts-expect-error TS2353: a misspelt option
  createSyncVerifier({ secret: 'whsec_1', tolerance: 5 })
}
