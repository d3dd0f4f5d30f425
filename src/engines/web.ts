import { concat } from '../core/bytes.ts'
import type { HmacEngine } from '../core/engine.ts'
import { fail } from '../core/errors.ts'

/** The part of WebCrypto that is called. */
interface Subtle {
  importKey(
    format: 'raw',
    key: Uint8Array,
    algorithm: { name: 'HMAC'; hash: 'SHA-256' },
    extractable: false,
    usages: ['sign'],
  ): Promise<unknown>
  sign(algorithm: 'HMAC', key: unknown, data: Uint8Array): Promise<ArrayBuffer>
}

/**
 * HMAC-SHA256 by WebCrypto: browsers, service workers, Workers, and every other runtime with
 * `crypto.subtle`. The key is imported once. `prepare` throws `engine_unavailable` where there is
 * none, as on a plain-http page.
 */
export const engine: HmacEngine = {
  name: 'web',
  prepare(key) {
    const subtle = webCrypto()
    if (subtle === undefined) {
      fail(
        'engine_unavailable',
        'this runtime has no crypto.subtle (plain http pages have none); use hookproof/sync',
      )
    }
    const raw = new Uint8Array(key)
    let imported: Promise<unknown> | undefined
    return {
      async mac(head, body) {
        imported ??= subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, [
          'sign',
        ])
        const message = concat(head, body)
        return new Uint8Array(await subtle.sign('HMAC', await imported, message))
      },
    }
  },
}

function webCrypto(): Subtle | undefined {
  return (globalThis as { crypto?: { subtle?: Subtle } }).crypto?.subtle
}
