import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { SyncHmacEngine } from '../core/engine.ts'

/**
 * HMAC-SHA256 in plain JavaScript, by the bundled @noble/hashes: every runtime, without any crypto
 * of its own.
 */
export const engine: SyncHmacEngine = {
  name: 'noble',
  prepare(key) {
    const keyed = hmac.create(sha256, key)
    return { mac: (head, body) => keyed.clone().update(head).update(body).digest() }
  },
}
