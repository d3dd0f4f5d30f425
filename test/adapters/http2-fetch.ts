import { once } from 'node:events'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import type { Target } from './contract.ts'

/**
 * As much of `fetch` over HTTP/2 as the contract needs; each request has a connection of its own.
 */
export const http2Fetch: Target['fetch'] = async (target, init = {}) => {
  const { origin, pathname, search } = new URL(target)
  const session = connect(origin)
  try {
    const head = {
      ':method': init.method ?? 'GET',
      ':path': pathname + search,
      ...(init.headers as Record<string, string>),
    }
    const stream = session.request(head, {
      endStream: init.body === undefined,
      signal: init.signal ?? undefined,
    })
    if (init.body !== undefined) stream.end(init.body)
    const [headers]: [IncomingHttpHeaders] = (await once(stream, 'response')) as never
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const shown = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
    return new Response(body.length === 0 ? null : body, {
      status: Number(headers[':status']),
      headers: shown as [string, string][],
    })
  } finally {
    session.destroy()
  }
}
