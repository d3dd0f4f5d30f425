import type { HmacEngine } from './engine.ts'
import { type ConfigErrorCode, fail } from './errors.ts'
import { type Clock, systemClock } from './freshness.ts'
import type { Scheme, SignDraft } from './scheme.ts'
import { type KnownSecret, readSecrets, type Secret } from './secrets.ts'

/** The options that need no type argument; `undefined` means the default. */
export interface BaseOptions {
  /** The endpoint's secret, or several of which any may match; list the newest first. */
  readonly secret: Secret | readonly Secret[]
  /**
   * How far the signature's time may lie from now, either way: whole seconds, default: the scheme's
   * (300 for Paymos).
   */
  readonly toleranceSeconds?: number | 'unlimited' | undefined
  /** The clock, in unix seconds. Default: the system's. */
  readonly now?: (() => number) | undefined
  /** The largest body that is read, default 1 MiB (1,048,576 bytes). */
  readonly maxBodyBytes?: number | undefined
  /** What computes HMAC-SHA256. Default: the fastest this runtime has. */
  readonly engine?: HmacEngine | undefined
}

/**
 * A schema of any library that implements standardschema.dev: the part of its interface that is
 * called.
 */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/** Options after every check, with the defaults filled in. */
export interface Settings<Engine extends HmacEngine> {
  readonly secrets: readonly KnownSecret[]
  readonly scheme: Scheme<unknown>
  readonly schema: StandardSchema<unknown> | undefined
  /** `Infinity`: any age. */
  readonly toleranceSeconds: number
  readonly now: Clock
  readonly maxBodyBytes: number
  readonly engine: Engine
}

export interface Defaults<Engine extends HmacEngine> {
  readonly scheme: Scheme<unknown>
  readonly engine: Engine
  /** Whether the face waits for no promise. */
  readonly isSync: boolean
}

const VERIFY_OPTIONS = [
  'secret',
  'scheme',
  'schema',
  'toleranceSeconds',
  'now',
  'maxBodyBytes',
  'engine',
]
const SIGN_OPTIONS = ['secret', 'scheme', 'now', 'engine']
const DEFAULT_MAX_BODY_BYTES = 1024 * 1024

type Given = { readonly [option: string]: unknown }

/**
 * Checks what `verify` and its kin are given. Throws `WebhookConfigError` for the first mistake.
 */
export function readVerifyOptions<Engine extends HmacEngine>(
  options: object,
  defaults: Defaults<Engine>,
  others: readonly string[] = [],
): Settings<Engine> {
  const given = readNames(options, [...VERIFY_OPTIONS, ...others])
  const scheme = readScheme(given, defaults.scheme)
  return {
    secrets: readSecrets(given.secret),
    scheme,
    schema: readSchema(given),
    toleranceSeconds: readTolerance(given.toleranceSeconds, scheme),
    now: readNow(given.now),
    maxBodyBytes: readMaxBodyBytes(given.maxBodyBytes),
    engine: readEngine(given.engine, defaults.engine),
  }
}

/** Checks what is to be signed. */
export function readDraft(draft: SignDraft): Given {
  return readNames(draft, ['body', 'id', 'timestamp'], 'body_not_raw')
}

/** Checks what a signer is given. */
export function readSignOptions<Engine extends HmacEngine>(
  options: object,
  defaults: Defaults<Engine>,
): Pick<Settings<Engine>, 'secrets' | 'scheme' | 'now' | 'engine'> {
  const given = readNames(options, SIGN_OPTIONS)
  return {
    secrets: readSecrets(given.secret),
    scheme: readScheme(given, defaults.scheme),
    now: readNow(given.now),
    engine: readEngine(given.engine, defaults.engine),
  }
}

/** An object's own members, all of them known; a polluted prototype adds none. */
export function readNames(
  options: unknown,
  known: readonly string[],
  codeOfFirst: ConfigErrorCode = 'secret_missing',
): Given {
  if (typeof options !== 'object' || options === null) {
    fail(codeOfFirst, `pass an object with at least { ${known[0]} }`)
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      fail('option_unknown', `no option ${name}; there are ${known.join(', ')}`)
    }
  }
  return Object.assign(Object.create(null), options) as Given
}

function readScheme(given: Given, fallback: Scheme<unknown>): Scheme<unknown> {
  if (!Object.hasOwn(given, 'scheme')) return fallback
  for (const method of ['decodeKey', 'parse', 'decode', 'format']) {
    if (!hasMethod(given.scheme, method)) {
      fail(
        'scheme_invalid',
        `scheme has no ${method}(); take it from hookproof/schemes, is the import right?`,
      )
    }
  }
  return given.scheme as Scheme<unknown>
}

function readSchema(given: Given): StandardSchema<unknown> | undefined {
  if (!Object.hasOwn(given, 'schema')) return undefined
  const schema = given.schema as Partial<StandardSchema<unknown>> | undefined | null
  if (!hasMethod(schema?.['~standard'], 'validate')) {
    fail(
      'schema_malformed',
      'schema must be a Standard Schema (zod, valibot, …); is the import right?',
    )
  }
  return schema as StandardSchema<unknown>
}

function readTolerance(tolerance: unknown, scheme: Scheme<unknown>): number {
  if (tolerance === undefined) return scheme.toleranceSeconds ?? Number.POSITIVE_INFINITY
  if (scheme.toleranceSeconds === undefined) {
    fail('tolerance_invalid', `${scheme.name} signs no timestamp; leave toleranceSeconds out`)
  }
  if (tolerance === 'unlimited') return Number.POSITIVE_INFINITY
  return wholeNumber(tolerance, 0, 'tolerance_invalid', "toleranceSeconds must be 'unlimited' or")
}

function readNow(now: unknown): Clock {
  if (now === undefined) return systemClock
  if (typeof now !== 'function') fail('now_invalid', 'now must be a function')
  return now as Clock
}

function readMaxBodyBytes(limit: unknown): number {
  if (limit === undefined) return DEFAULT_MAX_BODY_BYTES
  return wholeNumber(limit, 1, 'limit_invalid', 'maxBodyBytes must be')
}

function readEngine<Engine extends HmacEngine>(engine: unknown, fallback: Engine): Engine {
  if (engine === undefined) return fallback
  if (!hasMethod(engine, 'prepare')) {
    fail('engine_unavailable', 'engine must be one of hookproof/engines, or left out')
  }
  return engine as Engine
}

export function wholeNumber(
  value: unknown,
  least: number,
  code: ConfigErrorCode,
  what: string,
): number {
  if (!Number.isSafeInteger(value) || (value as number) < least) {
    fail(code, `${what} a whole number from ${least}`)
  }
  return value as number
}

export function hasMethod(value: unknown, name: string): boolean {
  return typeof (value as Given | null | undefined)?.[name] === 'function'
}
