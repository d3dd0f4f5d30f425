import type {
  Accepted,
  HmacEngine,
  PaymosEvent,
  Scheme,
  StandardSchema,
  SyncHmacEngine,
  Verdict,
  Verifier,
  VerifyOptions,
} from 'hookproof'
import { createSigner, createVerifier, verify, verifyOrThrow } from 'hookproof'
import { engine as native } from 'hookproof/engines/native'
import { engine as noble } from 'hookproof/engines/noble'
import { engine as web } from 'hookproof/engines/web'
import { paymos } from 'hookproof/schemes'
import type { paymos as alone } from 'hookproof/schemes/paymos'
import {
  constructEvent,
  createSyncSigner,
  createSyncVerifier,
  type SyncVerifier,
  verifySync,
} from 'hookproof/sync'

const request = { headers: {}, body: '' }
const secret = 'whsec_1'

type Ticket = { readonly kind: 'ticket'; readonly id: string }
type Order = { readonly kind: 'order'; readonly number: number }

/** A provider of one's own: an object literal and nothing else. */
const tickets: Scheme<Ticket> = {
  name: 'tickets',
  decodeKey: (secret) => secret,
  parse: (header) => {
    const value = header('x-ticket-signature')
    if (value === undefined) {
      return { ok: false, reason: 'header_missing', stage: 'header', status: 400, detail: 'none' }
    }
    return { head: new Uint8Array(), signatures: [new Uint8Array(32)], timestamp: 1, id: value }
  },
  decode: (json, { id = '' }) => ({
    event: json as Ticket,
    delivery: { scheme: 'tickets', id, idSigned: false, type: 'ticket' },
  }),
  format: ({ body, timestamp }, macs) => ({
    'X-Ticket-Signature': `${timestamp} ${macs.length} ${body.length}`,
  }),
}
const orders = some<Scheme<Order>>()
const orderSchema = some<StandardSchema<Order>>()

export async function withoutEither(): Promise<void> {
  const verdict = await verify(request, { secret })
  check<Equal<typeof verdict, Verdict<PaymosEvent>>>()
  const event = constructEvent(request, { secret, engine: noble })
  check<Equal<typeof event, PaymosEvent>>()
  const verifier = createVerifier({ secret })
  check<Equal<typeof verifier, Verifier<PaymosEvent>>>()
}

export async function theSchemeGivesTheEvent(): Promise<void> {
  const verdict = await verify(request, { secret, scheme: tickets })
  check<Equal<typeof verdict, Verdict<Ticket>>>()
  const accepted = await verifyOrThrow(request, { secret, scheme: tickets })
  check<Equal<typeof accepted, Accepted<Ticket>>>()
  const verifier = createVerifier({ secret, scheme: tickets })
  check<Equal<typeof verifier, Verifier<Ticket>>>()
  const sync = createSyncVerifier({ secret, scheme: tickets })
  check<Equal<typeof sync, SyncVerifier<Ticket>>>()
  const event = constructEvent(request, { secret, scheme: tickets })
  check<Equal<typeof event, Ticket>>()
  const ours = await verify(request, { secret, scheme: paymos })
  check<Equal<typeof ours, Verdict<PaymosEvent>>>()
  check<Equal<typeof alone, Scheme<PaymosEvent>>>()
}

export async function theSchemaGivesTheEvent(): Promise<void> {
  const verdict = await verify(request, { secret, schema: orderSchema })
  check<Equal<typeof verdict, Verdict<Order>>>()
  const verifier = createVerifier({ secret, schema: orderSchema })
  check<Equal<typeof verifier, Verifier<Order>>>()
  const event = constructEvent(request, { secret, schema: orderSchema })
  check<Equal<typeof event, Order>>()
}

export async function theSchemaWinsOverTheScheme(): Promise<void> {
  const verdict = await verify(request, { secret, scheme: tickets, schema: orderSchema })
  check<Equal<typeof verdict, Verdict<Order>>>()
  const sync = verifySync(request, { secret, scheme: tickets, schema: orderSchema })
  check<Equal<typeof sync, Verdict<Order>>>()
}

export async function aTypeArgumentIsNoCast(): Promise<void> {
  // @ts-expect-error TS2345: a type of one's own has to come from a scheme or a schema
  await verify<Order>(request, { secret })
  // @ts-expect-error TS2345
  await verify<PaymosEvent, Order>(request, { secret })
  // @ts-expect-error TS2345
  await verifyOrThrow<Order>(request, { secret })
  // @ts-expect-error TS2345
  createVerifier<Order>({ secret })
  // @ts-expect-error TS2345
  verifySync<Order>(request, { secret })
  // @ts-expect-error TS2345
  constructEvent<Order>(request, { secret })
  // @ts-expect-error TS2345
  createSyncVerifier<Order>({ secret })
  // @ts-expect-error TS2322
  const inAVariable: VerifyOptions<PaymosEvent, Order> = { secret }
  // @ts-expect-error TS2322|TS2375: a scheme of other events
  const otherScheme: VerifyOptions<Order> = { secret, scheme: tickets }
  await verify<Order>(request, { secret, scheme: orders })
  await verify<PaymosEvent, Order>(request, { secret, schema: orderSchema })
  await Promise.all([inAVariable, otherScheme])
}

export async function misspeltOptionsAreFoundBesideASchema(): Promise<void> {
  // @ts-expect-error TS2561
  await verify(request, { secret, schema: orderSchema, toleranceSecond: 5 })
  // @ts-expect-error TS2561
  await verify(request, { secret, scheme: tickets, toleranceSecond: 5 })
  // @ts-expect-error TS2561
  await verify(request, { secret, shema: orderSchema })
  // @ts-expect-error TS2353: a schema of nothing known
  await verify(request, { secret, schema: { parse: () => 1 } })
  // @ts-expect-error TS2322: a name is no scheme
  await verify(request, { secret, scheme: 'paymos' })
}

/** `Scheme` is covariant: a list of providers, or one of several, needs no cast. */
export async function severalSchemes(pick: boolean): Promise<void> {
  const all: readonly Scheme<unknown>[] = [tickets, orders, paymos]
  const scheme: Scheme<Ticket | Order> = pick ? tickets : orders
  const verdict = await verify(request, { secret, scheme })
  check<Equal<typeof verdict, Verdict<Ticket | Order>>>()
  if (verdict.ok && verdict.event.kind === 'order') check<Equal<typeof verdict.event, Order>>()
  // @ts-expect-error TS2322|TS2375: not the other way
  const narrower: Scheme<Ticket> = scheme
  createSigner({ secret, scheme: all[0] ?? narrower })
  createSyncSigner({ secret, scheme: tickets }).sign({ body: '' })
}

/** Options that pass through a function of the caller's own. */
export async function forwarded<W, E>(options: VerifyOptions<W, E>): Promise<Verdict<E>> {
  return verify<W, E>(request, options)
}

export interface OwnOptions extends VerifyOptions {
  readonly path: string
}

export async function spread({ path, ...options }: OwnOptions): Promise<string> {
  const verdict = await verify(request, { ...options, maxBodyBytes: 1024 })
  return verdict.ok ? verdict.event.event_type : path
}

export function engines(): void {
  check<Equal<typeof native, SyncHmacEngine>>()
  check<Equal<typeof noble, SyncHmacEngine>>()
  check<Equal<typeof web, HmacEngine>>()
  verifySync(request, { secret, engine: native })
  // @ts-expect-error TS2322: an engine that answers with a promise
  verifySync(request, { secret, engine: web })
  // @ts-expect-error TS2322
  createSyncSigner({ secret, engine: web })
  const own: HmacEngine = { name: 'own', prepare: () => ({ mac: async () => new Uint8Array(32) }) }
  createVerifier({ secret, engine: own })
}

export async function signers(): Promise<void> {
  const headers = await createSigner({ secret }).sign({ body: '{}', id: 'evt_1', timestamp: 1 })
  check<Equal<(typeof headers)['x'], string>>()
  // @ts-expect-error TS2353: a misspelt part of a draft
  await createSigner({ secret }).sign({ body: '{}', time: 1 })
  // @ts-expect-error TS2353: what a signer does not know
  createSigner({ secret, toleranceSeconds: 1 })
  // @ts-expect-error TS2339: a promise of headers
  createSigner({ secret }).sign({ body: '{}' }).then.headers
}
