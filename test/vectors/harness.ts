import { engine as native } from '../../dist/engines/native.js'
import { engine as noble } from '../../dist/engines/noble.js'
import { engine as web } from '../../dist/engines/web.js'
import {
  createSigner,
  createVerifier,
  type HmacEngine,
  type Scheme,
  type SyncHmacEngine,
  type Verdict,
  verify,
} from '../../dist/index.js'
import * as schemes from '../../dist/schemes/index.js'
import { createSyncSigner, createSyncVerifier, verifySync } from '../../dist/sync.js'
import { bytesOf } from '../../vectors/gen/decode.js'
import { loadRegistries } from '../../vectors/gen/registries.js'
import { schemeRows } from '../runtimes/suite/schemes.js'
import { mistake, streamOf } from '../runtimes/suite/ways.js'

// Runs a published case against the built package, in every way it can be called, and puts each answer into the
// form of the case's expectation.

export type Bytes = Parameters<typeof bytesOf>[0]
export interface Outcome {
  readonly result: 'valid' | 'invalid'
  readonly reason?: string
  readonly output?: unknown
}
export interface Case {
  readonly id: string
  readonly title: string
  readonly op: 'verify' | 'sign' | 'mac'
  readonly requires: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: the published JSON, whose shape its own schema asserts
  readonly input: any
  readonly expect: Outcome & { readonly preferred?: number; readonly oneOf?: readonly Outcome[] }
}

export type Profile = 'paymos' | 'stripe' | 'standard-webhooks' | 'github' | 'meta'

/** What a profile's cases are run with, beside the case's own options, and how its answers read. */
export interface Row {
  /** Without a scheme for `paymos`, the default. */
  readonly options: { readonly scheme: Scheme<unknown> }
  accepted(verdict: object): unknown
  signed(headers: object): unknown
}
/** By the same table as in every runtime, from the schemes of one build. */
export function rowsOf(schemes: object): Readonly<Record<Profile, Row>> {
  return schemeRows({ schemes }, loadRegistries()) as unknown as Readonly<Record<Profile, Row>>
}
export const ROWS = rowsOf(schemes)

export function profileOf({ id }: Pick<Case, 'id'>): Profile {
  return id.split('/')[0] as Profile
}

const SYNC_ENGINES: readonly SyncHmacEngine[] = [native, noble]
const ENGINES: readonly HmacEngine[] = [...SYNC_ENGINES, web]

/** The one outcome this package answers with: where the suite leaves a choice, the preferred one. */
export function expected({ expect }: Case): Outcome {
  return expect.oneOf?.[expect.preferred ?? 0] ?? (expect as Outcome)
}

/** Every way to run a case, by name. */
export function ways(published: Case): Record<string, () => Promise<Outcome>> {
  const { op, input } = published
  if (op === 'verify') return verifyWays(input, profileOf(published))
  return op === 'sign' ? signWays(input, profileOf(published)) : macWays(input)
}

function verifyWays(
  input: Case['input'],
  profile: Profile,
): Record<string, () => Promise<Outcome>> {
  const headers: (readonly [string, string])[] = input.headers.map(
    ([name, value]: [string, Bytes]) => [name, Buffer.from(bytesOf(value)).toString('latin1')],
  )
  const body = input.body === null ? null : bytesOf(input.body)
  const options = {
    secret: input.secrets.map(bytesOf) as Uint8Array[],
    now: () => Number(input.now),
    toleranceSeconds: input.tolerance ?? undefined,
    maxBodyBytes: input.limits?.maxBodyBytes,
    ...ROWS[profile].options,
  }
  const outcomeOf = (run: Parameters<typeof judge>[0]) => judge(run, profile)
  const text = body && asText(body)
  const record = asRecord(headers)
  const found: Record<string, () => Promise<Outcome>> = {
    'verify, bytes': () => outcomeOf(() => verify({ headers, body }, options)),
    'verifySync, bytes': () => outcomeOf(() => verifySync({ headers, body }, options)),
    'verify, record': () => outcomeOf(() => verify({ headers: record, body }, options)),
  }
  for (const engine of ENGINES) {
    const { verify: run } = settle(() => createVerifier({ ...options, engine }))
    found[`createVerifier, ${engine.name}, bytes`] = () => outcomeOf(() => run({ headers, body }))
    if (body !== null) {
      found[`createVerifier, ${engine.name}, stream`] = () =>
        outcomeOf(() => run({ headers, body: streamOf(body) }))
    }
    if (text) {
      found[`createVerifier, ${engine.name}, string`] = () =>
        outcomeOf(() => run({ headers, body: text }))
    }
  }
  for (const engine of SYNC_ENGINES) {
    const { verify: run } = settle(() => createSyncVerifier({ ...options, engine }))
    found[`createSyncVerifier, ${engine.name}, bytes`] = () =>
      outcomeOf(() => run({ headers, body }))
    if (text) {
      found[`createSyncVerifier, ${engine.name}, string`] = () =>
        outcomeOf(() => run({ headers, body: text }))
    }
  }
  return found
}

function signWays(input: Case['input'], profile: Profile): Record<string, () => Promise<Outcome>> {
  const secret: Uint8Array[] = input.secrets.map(bytesOf)
  const timestamp = input.timestamp && Number(input.timestamp)
  const draft = { body: bytesOf(input.body), timestamp, id: input.id }
  const options = { secret, ...ROWS[profile].options }
  const signOutcome = (run: Parameters<typeof outcomeOfSign>[0]) => outcomeOfSign(run, profile)
  const found: Record<string, () => Promise<Outcome>> = {}
  for (const engine of ENGINES) {
    found[`createSigner, ${engine.name}`] = () =>
      signOutcome(() => createSigner({ ...options, engine }).sign(draft))
  }
  for (const engine of SYNC_ENGINES) {
    found[`createSyncSigner, ${engine.name}`] = () =>
      signOutcome(() => createSyncSigner({ ...options, engine }).sign(draft))
  }
  return found
}

function macWays(input: Case['input']): Record<string, () => Promise<Outcome>> {
  const message = bytesOf(input.message)
  const half = message.length >> 1
  const found: Record<string, () => Promise<Outcome>> = {}
  for (const engine of ENGINES) {
    found[`engine ${engine.name}`] = async () => {
      const key = engine.prepare(bytesOf(input.key))
      const mac = await key.mac(message.subarray(0, half), message.subarray(half))
      return { result: 'valid', output: { mac: Buffer.from(mac).toString('hex') } }
    }
  }
  return found
}

/** A verifier whose construction failed fails again, in the same way, at every call. */
function settle<V extends { readonly verify: (request: never) => unknown }>(create: () => V): V {
  try {
    return create()
  } catch (error) {
    const verify = () => {
      throw error
    }
    return { verify } as unknown as V
  }
}

/** What a verdict says, in the form of a case's expectation. */
export async function judge(
  run: () => Verdict<unknown> | Promise<Verdict<unknown>>,
  profile: Profile = 'paymos',
): Promise<Outcome> {
  try {
    const verdict = await run()
    return verdict.ok
      ? { result: 'valid', output: ROWS[profile].accepted(verdict) }
      : { result: 'invalid', reason: verdict.reason }
  } catch (error) {
    return mistake(error) as Outcome
  }
}

type Signed = Readonly<Record<string, string>>

async function outcomeOfSign(
  run: () => Signed | Promise<Signed>,
  profile: Profile,
): Promise<Outcome> {
  try {
    return { result: 'valid', output: ROWS[profile].signed(await run()) }
  } catch (error) {
    return mistake(error) as Outcome
  }
}

function asText(body: Uint8Array): string | undefined {
  const text = Buffer.from(body).toString()
  return Buffer.from(text).equals(body) ? text : undefined
}

function asRecord(headers: readonly (readonly [string, string])[]): Record<string, string[]> {
  const record: Record<string, string[]> = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    record[key] = [...(record[key] ?? []), value]
  }
  return record
}
