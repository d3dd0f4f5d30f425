import { utf8 } from '../core/bytes.ts'
import type { NodeResponse } from './node-response.ts'

/** A reply of Fastify, by shape. */
export interface FastifyReply {
  readonly raw: object
  readonly sent: boolean
  statusCode: number
  header(name: string, value: string): unknown
  send(body: Uint8Array): unknown
}

/** For the answer to go through Fastify's own hooks. */
export function asNode(reply: FastifyReply): NodeResponse {
  return {
    ...('stream' in reply.raw && { stream: reply.raw.stream as object }),
    get headersSent() {
      return reply.sent
    },
    get statusCode() {
      return reply.statusCode
    },
    set statusCode(status) {
      reply.statusCode = status
    },
    setHeader: (name, value) => reply.header(name, value),
    // Of text, Fastify would change the content type.
    end: (body) => reply.send(utf8(body)),
  }
}
