import type { NodeRequest } from './node-request.ts'
import type { Answer } from './receive.ts'

/** A response of `node:http` or `node:http2`, by shape. */
export interface NodeResponse {
  statusCode: number
  readonly headersSent: boolean
  setHeader(name: string, value: string): unknown
  end(chunk: string): unknown
}

/** What a request and a response have besides, depending on the version of HTTP. */
type Connection = {
  readonly complete?: boolean
  readonly writableEnded?: boolean
  readonly stream?: { close?(code?: number): void; readonly endAfterHeaders?: boolean }
  destroy?(): void
  resume?(): void
  on?(event: 'data', listener: (chunk: Uint8Array) => void): void
}

const DROPPED_BYTES = 1024 * 1024
/** HTTP/2 has no way to close after the answer but one that senders take for a failure. */
const DROPPED_BYTES_HTTP2 = 16 * 1024 * 1024
/** RFC 9113 §7. */
const INTERNAL_ERROR = 2

/**
 * Answers a request whose body may not have been read to its end, so that the answer arrives and the
 * connection is left usable or closed.
 */
export function send(
  request: NodeRequest & Connection,
  response: NodeResponse & Connection,
  { status, headers, body }: Answer,
): void {
  if (response.headersSent) {
    // By the handler itself, which may have failed half-way: the sender has to see that.
    if (status !== 500 || response.writableEnded) return
    if (response.stream === undefined) response.destroy?.()
    else response.stream.close?.(INTERNAL_ERROR)
    return
  }
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  // The rest of a body that was not read to its end is dropped, for the connection to go on, if it
  // is known to be little. Else the connection ends with the answer; of HTTP/2 the stream does, when
  // the sender has not stopped after much more.
  // HTTP/2 calls a request without a body incomplete, too, until somebody has read its end.
  const { stream } = response
  const isUnread = request.complete === false && !stream?.endAfterHeaders
  const isLittle = status !== 413 && Number(request.headers['content-length']) <= DROPPED_BYTES
  if (isUnread && !isLittle && stream === undefined) response.setHeader('Connection', 'close')
  response.end(body)
  if (!isUnread) return
  if (stream !== undefined) {
    let left = DROPPED_BYTES_HTTP2
    request.on?.('data', (chunk) => {
      left -= chunk.length
      if (left < 0) stream.close?.()
    })
  } else if (isLittle) request.resume?.()
}
