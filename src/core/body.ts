import { utf8 } from './bytes.ts'
import { fail } from './errors.ts'
import type { HeaderReader } from './headers.ts'
import type { ByteReader, WebhookInput } from './request.ts'
import { type Rejected, reject } from './verdict.ts'

/** Reads a body to its end, up to a number of bytes. */
export type BodyReader = (maxBytes: number) => Promise<Uint8Array | Rejected>

/**
 * The body in memory, or what will read it. Throws `body_not_raw` and `body_already_read`, before
 * anything was looked at or read.
 */
export function openBody(
  request: WebhookInput,
  header: HeaderReader,
): string | Uint8Array | BodyReader {
  const { body, bodyUsed } = request as { body?: unknown; bodyUsed?: boolean }
  const memory = inMemory(body)
  if (memory !== undefined) return memory
  // The last two: a web stream somebody holds, a Node stream that a body parser has read.
  if (bodyUsed || get(body, 'locked') === true || get(body, 'readableDidRead') === true) {
    fail(
      'body_already_read',
      'the body was read before; verify first, or keep the raw bytes and pass them',
    )
  }
  if (body === null) return ''
  const chunks = openChunks(body, request)
  if (chunks === undefined) return noBody(body, header)
  return async (maxBytes) => {
    const announced = header('content-length') ?? ''
    if (/^\d{1,15}$/u.test(announced) && Number(announced) > maxBytes) return tooLarge(maxBytes)
    return readChunks(chunks(), maxBytes)
  }
}

/** The body of the sync face: in memory, or `body_not_raw`. */
export function openBodySync(body: unknown, header: HeaderReader): string | Uint8Array {
  return inMemory(body) ?? (body === null ? '' : noBody(body, header))
}

/**
 * What frameworks leave for a request without a body: nothing, or an empty object. It is an empty
 * body if the headers announce none; otherwise somebody has parsed it, and `body_not_raw` is thrown.
 */
function noBody(body: unknown, header: HeaderReader): string {
  const isNothing =
    body === undefined ||
    (Object.prototype.toString.call(body) === '[object Object]' &&
      Object.keys(body as object).length === 0)
  const isAnnounced =
    !/^0*$/u.test(header('content-length') ?? '') || header('transfer-encoding') !== undefined
  return isNothing && !isAnnounced ? '' : notRaw(body)
}

/**
 * Text as it is, and a buffer or view as a `Uint8Array` of this realm; `undefined` for anything
 * else, a detached buffer included.
 */
export function inMemory(body: unknown): string | Uint8Array | undefined {
  return typeof body === 'string' ? body : viewOf(body)
}

/** The bytes of a body in memory, unless they are more than allowed. */
export function limit(body: string | Uint8Array, maxBytes: number): Uint8Array | Rejected {
  if (body.length > maxBytes) return tooLarge(maxBytes)
  return typeof body === 'string' ? limit(utf8(body), maxBytes) : body
}

/**
 * A `Uint8Array` of this realm as it is, other views and buffers as one. Shared, resizable and
 * foreign memory is copied: it could change between the check and the use.
 */
function viewOf(body: unknown): Uint8Array | undefined {
  try {
    if (body instanceof Uint8Array && body.length > 0 && isFixed(body.buffer)) return body
    if (ArrayBuffer.isView(body)) {
      const view = new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
      return isFixed(body.buffer) ? view : view.slice()
    }
    if (isBuffer(body)) {
      const view = new Uint8Array(body)
      return isFixed(body) ? view : view.slice()
    }
  } catch {
    // Detached, which shows in nothing but the constructor's refusal.
  }
  return undefined
}

function isFixed(buffer: ArrayBufferLike & { resizable?: boolean }): boolean {
  return buffer instanceof ArrayBuffer && !buffer.resizable
}

/** By its tag, which a buffer of another realm has as well. */
function isBuffer(body: unknown): body is ArrayBuffer {
  const tag = Object.prototype.toString.call(body)
  return tag === '[object ArrayBuffer]' || tag === '[object SharedArrayBuffer]'
}

function openChunks(body: unknown, request: object): (() => Chunks) | undefined {
  if (typeof get(body, 'getReader') === 'function') {
    return () => streamChunks((body as { getReader(): ByteReader }).getReader())
  }
  if (typeof get(body, Symbol.asyncIterator) === 'function') {
    // Node's own iterator would take the socket, and with it the answer, when it is given up.
    return typeof get(body, 'iterator') === 'function'
      ? () => (body as NodeStream).iterator({ destroyOnReturn: false })
      : () => (body as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  }
  if (body === undefined && typeof get(request, 'arrayBuffer') === 'function') {
    return () => wholeChunk(request as { arrayBuffer(): Promise<unknown> })
  }
  return undefined
}

type Chunks = AsyncIterator<unknown>

interface NodeStream {
  iterator(options: { destroyOnReturn: false }): Chunks
}

/** A web stream as an async iterator, which not every runtime makes it. */
async function* streamChunks(reader: ByteReader): AsyncGenerator<unknown> {
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    giveUp(() => reader.cancel())
  }
}

async function* wholeChunk(request: { arrayBuffer(): Promise<unknown> }): AsyncGenerator<unknown> {
  yield await request.arrayBuffer()
}

/** Lets go of a source, without waiting for it and whatever it says. */
async function giveUp(close: () => unknown): Promise<void> {
  try {
    await close()
  } catch {
    // Nobody is left to tell.
  }
}

async function readChunks(chunks: Chunks, maxBytes: number): Promise<Uint8Array | Rejected> {
  let buffer = new Uint8Array(0)
  let length = 0
  for (;;) {
    let next: IteratorResult<unknown>
    try {
      next = await chunks.next()
    } catch {
      // The sender's doing, or the network's.
      return reject('size', 'body_incomplete', 'the body stream failed before its end')
    }
    if (next.done) return buffer.slice(0, length)
    const chunk = viewOf(next.value)
    const end = length + (chunk?.length ?? 0)
    if (chunk === undefined || end > maxBytes) giveUp(() => chunks.return?.())
    if (chunk === undefined) {
      fail(
        'body_not_raw',
        `the body stream yields ${typeof next.value}, not bytes; set no encoding or object mode on it`,
      )
    }
    if (end > maxBytes) return tooLarge(maxBytes)
    // Copied at once: a source may fill the same chunk again. Doubled, so that tiny chunks cost no
    // more than large ones.
    if (end > buffer.length) {
      const grown = new Uint8Array(Math.min(maxBytes, Math.max(end, 2 * buffer.length)))
      grown.set(buffer)
      buffer = grown
    }
    buffer.set(chunk, length)
    length = end
  }
}

function tooLarge(maxBytes: number): Rejected {
  return reject('size', 'body_too_large', `expected at most ${maxBytes} bytes (maxBodyBytes)`)
}

function notRaw(body: unknown): never {
  const kind = body === undefined ? 'undefined' : Object.prototype.toString.call(body).slice(8, -1)
  fail(
    'body_not_raw',
    `body is ${kind}, not raw bytes; pass the bytes, or the unread stream, as they came, before any parser (of Node: { headers: request.headers, body: request }); await a promise; never re-serialise`,
  )
}

function get(value: unknown, key: PropertyKey): unknown {
  return (value as Record<PropertyKey, unknown> | null | undefined)?.[key]
}
