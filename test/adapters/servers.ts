import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Target } from './contract.ts'
import { raw } from './raw.ts'

/** Runs a server on loopback for as long as `use` takes, and ends it with all its connections. */
export async function listening<T>(server: Server, use: (url: string) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  }
}

export function targetOf(url: string): Target {
  return { url, fetch, raw }
}

/**
 * A listener of `node:http` for a function from a web request to a response; what it throws is
 * answered with 500.
 */
export function bridge(serve: (request: Request) => Promise<Response>): RequestListener {
  return async (incoming, outgoing) => {
    const response = await serve(webRequest(incoming)).catch(
      () => new Response('', { status: 500 }),
    )
    outgoing.writeHead(response.status, [...response.headers].flat())
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  }
}

function webRequest(incoming: IncomingMessage): Request {
  const { method = '', headers, url } = incoming
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming)
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    body: body as BodyInit | null,
    duplex: 'half',
  } as RequestInit)
}

/** The contract's receiver behind a function that may first ask whether a URL is one of its own. */
export function bridged(
  control: (url: string) => string | undefined,
  receive: (request: Request) => Promise<Response>,
): Server {
  return createServer(
    bridge(async (request) => {
      const record = control(request.url)
      return record === undefined ? receive(request) : new Response(record)
    }),
  )
}
