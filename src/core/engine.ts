/**
 * HMAC-SHA256 behind the smallest port there is: bytes in, bytes out. `prepare` copies or imports
 * the key once and throws `WebhookConfigError` with `engine_unavailable` where the runtime lacks
 * what the engine needs; `mac` gives the 32 bytes over `head` followed by `body`.
 */
export interface HmacEngine {
  readonly name: string
  prepare(key: Uint8Array): HmacKey
}

export interface HmacKey {
  mac(head: Uint8Array, body: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** An engine that answers at once; `hookproof/sync` takes no other. */
export interface SyncHmacEngine extends HmacEngine {
  prepare(key: Uint8Array): SyncHmacKey
}

export interface SyncHmacKey extends HmacKey {
  mac(head: Uint8Array, body: Uint8Array): Uint8Array
}
