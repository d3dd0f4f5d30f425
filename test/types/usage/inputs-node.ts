import type { KeyObject } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { HeadersInput, RawBody, Secret } from 'hookproof'
import { verify } from 'hookproof'
import { verifySync } from 'hookproof/sync'

const options = { secret: 'whsec_1' }
const request = some<IncomingMessage>()
const { headers } = request

export const headerForms: readonly HeadersInput[] = [
  headers,
  request.headersDistinct,
  some<Http2ServerRequest>().headers,
]
export const bodies: readonly RawBody[] = [
  Buffer.from('{}'),
  request,
  some<Readable>(),
  some<ReadableStream<Uint8Array>>(),
  createReadStream('delivery.http'),
]
export const secrets: readonly Secret[] = [
  Buffer.from('key'),
  { id: 'a', secret: Buffer.alloc(32) },
]

export async function handler(request: IncomingMessage, raw: Buffer): Promise<void> {
  await verify({ headers: request.headers, body: request }, options)
  await verify({ headers: request.headers, body: raw }, options)
  await verify({ headers: request.headers, body: raw.subarray(1).toString('utf8') }, options)
  verifySync({ headers: request.headers, body: raw }, options)
  // @ts-expect-error TS2322: a flat list, not pairs
  await verify({ headers: request.rawHeaders, body: raw }, options)
  // @ts-expect-error TS2345: the message has no body property; it is the stream itself
  await verify(request, options)
  // @ts-expect-error TS2322: what JSON.stringify was given
  await verify({ headers: request.headers, body: { ...raw.toJSON() } }, options)
}

/** A framework's request whose body a parser made has to be looked at first. */
export async function parsers(parsed: {
  headers: IncomingMessage['headers']
  body: unknown
}): Promise<void> {
  // @ts-expect-error TS2345: nobody knows what this body is
  await verify(parsed, options)
  if (Buffer.isBuffer(parsed.body)) await verify({ headers, body: parsed.body }, options)
}

export async function keyObject(secret: KeyObject): Promise<void> {
  // @ts-expect-error TS2322: export() it first
  await verify({ headers, body: '' }, { secret })
}
