import type { SyncHmacEngine, SyncHmacKey } from '../core/engine.ts'
import { fail } from '../core/errors.ts'
import { type NodeCrypto, nodeCrypto } from './node-crypto.ts'

const BLOCK = 64
const HASH = 32
/** Above this, copying the message costs more than a streaming HMAC does. */
const MAX_ONE_SHOT = 32 * 1024

/**
 * HMAC-SHA256 by `node:crypto`: Node, Bun, Deno, Workers with Node compatibility. `prepare` throws
 * `engine_unavailable` elsewhere.
 */
export const engine: SyncHmacEngine = {
  name: 'native',
  prepare(key) {
    const crypto = nodeCrypto()
    if (crypto === undefined) {
      fail('engine_unavailable', 'this runtime has no node:crypto; leave engine out')
    }
    const streaming = streamingHmac(crypto, key)
    // The one-shot form is built by hand, which a FIPS-validated module must not be bypassed with.
    const { hash } = crypto
    return hash !== undefined && !crypto.getFips?.() ? oneShotHmac(hash, key, streaming) : streaming
  },
}

type Hash = NonNullable<NodeCrypto['hash']>

function streamingHmac(crypto: NodeCrypto, key: Uint8Array): SyncHmacKey {
  const secret = crypto.createSecretKey(key)
  return {
    mac(head, body) {
      const mac = crypto.createHmac('sha256', secret).update(head).update(body).digest()
      return new Uint8Array(mac.buffer, mac.byteOffset, mac.byteLength)
    },
  }
}

/** Where messages are put behind their key block, and whose block stands there now. */
let scratch: Uint8Array | undefined
let padded: Uint8Array | undefined

/**
 * RFC 2104 by two one-shot hashes: H(K⊕opad, H(K⊕ipad, message)). For short messages about half the
 * cost of `createHmac`. The scratch buffer is shared, which is safe because nothing here waits.
 */
function oneShotHmac(hash: Hash, key: Uint8Array, streaming: SyncHmacKey): SyncHmacKey {
  const block = new Uint8Array(BLOCK)
  if (key.length > BLOCK) readLatin1(hash('sha256', key, 'latin1'), block, 0)
  else block.set(key)
  const inner = block.map((byte) => byte ^ 0x36)
  const outer = new Uint8Array(BLOCK + HASH)
  outer.set(block.map((byte) => byte ^ 0x5c))
  return {
    mac(head, body) {
      const length = BLOCK + head.length + body.length
      if (length > MAX_ONE_SHOT) return streaming.mac(head, body)
      scratch ??= new Uint8Array(MAX_ONE_SHOT)
      if (padded !== inner) scratch.set(inner)
      padded = inner
      scratch.set(head, BLOCK)
      scratch.set(body, BLOCK + head.length)
      readLatin1(hash('sha256', scratch.subarray(0, length), 'latin1'), outer, BLOCK)
      const mac = new Uint8Array(HASH)
      readLatin1(hash('sha256', outer, 'latin1'), mac, 0)
      return mac
    },
  }
}

/** Writes the bytes that a hash gave as Latin-1 text, which is cheaper to get than a buffer. */
function readLatin1(text: string, target: Uint8Array, offset: number): void {
  for (let i = 0; i < text.length; i++) target[offset + i] = text.charCodeAt(i)
}
