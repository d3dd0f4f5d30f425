import type { HeaderReader } from './headers.ts'
import type { Delivery, Rejected, Warning } from './verdict.ts'

/**
 * One provider: how its signature header is read and written, and what its events look like. An
 * object literal of this shape is all it takes; nothing is registered. `E` is the event it decodes.
 */
export interface Scheme<E> {
  readonly name: string
  /** Seconds either way; absent when the provider signs no timestamp. */
  readonly toleranceSeconds?: number
  /** The MAC key of a secret's bytes; `undefined` refuses the secret (`secret_invalid`). */
  decodeKey(secret: Uint8Array): Uint8Array | undefined
  /** Reads the signature header. Nothing it returns is believed yet. */
  parse(header: HeaderReader): SignedParts | Rejected
  /** Judges the JSON of an authenticated body. */
  decode(json: unknown, parts: SignedParts): Decoded<E> | Rejected
  /** Writes the headers that `parse` reads, with one signature per MAC, in order. */
  format(draft: StampedDraft, macs: readonly Uint8Array[]): SignedHeaders
  /**
   * Answers a request that is no delivery, such as the GET by which a provider asks whether an
   * endpoint wants its events; `undefined` leaves it to the adapter, which answers 405.
   */
  handshake?(request: HandshakeRequest): HandshakeAnswer | undefined
}

export interface HandshakeRequest {
  readonly method: string
  /** Whole or from the path on. */
  readonly url: string
}

/** Sent as `text/plain`. */
export interface HandshakeAnswer {
  readonly status: number
  readonly body: string
}

/** What a signature header says. */
export interface SignedParts {
  /** The signed bytes that stand before the body. */
  readonly head: Uint8Array
  /** The well-formed signatures, decoded, in the header's order. */
  readonly signatures: readonly Uint8Array[]
  /** Unix seconds. */
  readonly timestamp?: number
  /** Delivery id and event type, where headers carry them. */
  readonly id?: string
  readonly type?: string
}

export interface Decoded<E> {
  readonly event: E
  readonly delivery: Delivery
  readonly warnings?: readonly Warning[]
}

/** What a sender wants signed. */
export interface SignDraft {
  /** Text is sent as its UTF-8 bytes. */
  readonly body: string | Uint8Array
  /** The event's id, for schemes that put it into a header. */
  readonly id?: string | undefined
  /** Unix seconds, default: now. */
  readonly timestamp?: number | undefined
}

/** A draft whose time is settled. */
export interface StampedDraft extends SignDraft {
  readonly timestamp: number
}

/** Header names and values, ready for `fetch` or `http.request`. */
export type SignedHeaders = { readonly [name: string]: string }
