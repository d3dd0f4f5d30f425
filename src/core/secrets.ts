import { equal, utf8 } from './bytes.ts'
import type { HmacEngine, HmacKey } from './engine.ts'
import { fail } from './errors.ts'
import { discardPromise } from './promises.ts'
import type { Scheme } from './scheme.ts'

/**
 * A shared secret: text, whose UTF-8 bytes the scheme reads as the key, or such bytes, which are not
 * checked for white space. Most schemes take them as they are; `standardWebhooks` reads base64 in
 * either form. With an `id`, an accepted verdict names it.
 */
export type Secret =
  | string
  | Uint8Array
  | { readonly id: string; readonly secret: string | Uint8Array }

/** A secret as it was configured: its bytes are a copy that nobody else holds. */
export interface KnownSecret {
  readonly id: string | undefined
  readonly bytes: Uint8Array
}

export interface Key<K extends HmacKey = HmacKey> {
  readonly id: string | undefined
  readonly hmac: K
}

/**
 * Reads the `secret` option. Throws `secret_missing` or `secret_invalid`, never quoting a secret.
 */
export function readSecrets(option: unknown): readonly KnownSecret[] {
  const list = Array.isArray(option) ? option : [option]
  if (list.length === 0) fail('secret_missing', 'secret is an empty list')
  return Array.from(list, (secret) => {
    const pair = secret as { id?: unknown; secret?: unknown } | null | undefined
    // By its keys, because a promise or a key object is an object as well.
    if (typeof pair !== 'object' || pair === null || !('secret' in pair || 'id' in pair)) {
      return { id: undefined, bytes: secretBytes(secret) }
    }
    if (typeof pair.id !== 'string' || pair.id === '') invalid('needs a text id: { id, secret }')
    return { id: pair.id, bytes: secretBytes(pair.secret) }
  })
}

interface KeySettings<Engine extends HmacEngine> {
  readonly secrets: readonly KnownSecret[]
  readonly scheme: Pick<Scheme<unknown>, 'name' | 'decodeKey'>
  readonly engine: Engine
}

/**
 * The keys of secrets under a scheme, ready to hash with; `isSync` tries whether they answer at
 * once.
 */
export function prepareKeys<Engine extends HmacEngine>(
  { secrets, scheme, engine }: KeySettings<Engine>,
  isSync: boolean,
): readonly Key<ReturnType<Engine['prepare']>>[] {
  return secrets.map(({ id, bytes }) => {
    const key = scheme.decodeKey(bytes.slice())
    if (!key?.length) invalid(`is no ${scheme.name} secret; copy it whole from the provider`)
    // HMAC pads keys with zeros, so these are the empty key, which anybody has.
    if (key.every((byte) => byte === 0)) invalid('is nothing but zero bytes; was a buffer filled?')
    const hmac = engine.prepare(key) as ReturnType<Engine['prepare']>
    if (typeof hmac?.mac !== 'function') fail('engine_unavailable', 'the engine prepared no mac()')
    if (isSync && discardPromise(hmac.mac(key, key))) {
      fail('engine_unavailable', 'hookproof/sync takes native or noble, which answer at once')
    }
    return { id, hmac }
  })
}

export function sameSecrets(a: readonly KnownSecret[], b: readonly KnownSecret[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ id, bytes }, index) => {
      const other = b[index] as KnownSecret
      return id === other.id && equal(bytes, other.bytes)
    })
  )
}

/**
 * An environment file's line break is the commonest wrong key there is, so white space at the ends
 * is refused.
 */
function secretBytes(secret: unknown): Uint8Array {
  if (typeof secret === 'string' && secret !== '') {
    if (secret.trim() !== secret)
      invalid('begins or ends with white space, such as a line break; trim it')
    if (/^(?:undefined|null|whsec_(?:test_|live_)?)$/u.test(secret)) {
      invalid('is only a prefix, or a missing value made text; copy it whole')
    }
    if (secret.startsWith('v1,whsec_')) invalid('begins with v1, which is no part of it')
    return utf8(secret)
  }
  if (ArrayBuffer.isView(secret) && secret.byteLength > 0) {
    return new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength).slice()
  }
  if (secret && !ArrayBuffer.isView(secret))
    invalid('must be text or a Uint8Array; await a promise, export a key object')
  return fail('secret_missing', 'secret is empty or not set; is the environment variable there?')
}

function invalid(message: string): never {
  fail('secret_invalid', `a secret ${message}`)
}
