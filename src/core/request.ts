/**
 * What the async face verifies. A web `Request` of any runtime fits by shape, and so does `{
 * headers, body }` with the raw body as it came. No DOM or Node type is named, so the declarations
 * mean the same in every project.
 */
export type WebhookInput = RequestParts | BodylessRequest

export interface RequestParts {
  readonly headers: HeadersInput
  /**
   * The exact bytes received, or a stream of them; `null` is an empty body. Never a parsed object.
   */
  readonly body: RawBody | null
  readonly bodyUsed?: boolean | undefined
}

/** A web request on a runtime that has no `Request.body`. */
export interface BodylessRequest {
  readonly headers: HeaderLookup
  readonly bodyUsed: boolean
  arrayBuffer(): Promise<ArrayBuffer>
}

/** What the sync face verifies: the body is in memory. */
export interface SyncWebhookInput {
  readonly headers: HeadersInput
  readonly body: string | ArrayBuffer | ArrayBufferView | null
}

/**
 * `Headers`, a record such as Node's `request.headers`, or pairs in wire order; names in any case.
 */
export type HeadersInput =
  | HeaderLookup
  | { readonly [name: string]: string | readonly string[] | undefined }
  | Iterable<readonly [string, string]>

export interface HeaderLookup {
  get(name: string): string | null
}

export type RawBody =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | ByteStream
  | AsyncIterable<Uint8Array>

/** A web `ReadableStream` of bytes, by shape. */
export interface ByteStream {
  getReader(): ByteReader
}

export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(reason?: unknown): Promise<void>
  releaseLock(): void
}
