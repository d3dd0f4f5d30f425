import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** What becomes of the connection at a statement: it goes before the statement is sent, or its reply. */
export type Cut = 'statement lost' | 'reply lost' | undefined

export interface CuttingProxy {
  readonly url: string
  /** Asked for everything a client sends, as text; of a prepared statement, again with its text. */
  cutAt: (sent: string) => Cut
  readonly end: () => Promise<void>
}

/** Stands between a driver and its server, and cuts connections where a test says. */
export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const proxy: CuttingProxy = {
    url: '',
    cutAt: () => undefined,
    async end() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const both = [client, upstream]
    const texts = statementTexts()
    let isCut = false
    const cut = () => {
      for (const socket of both) socket.destroy()
    }
    for (const socket of both) {
      sockets.add(socket)
      socket.on('error', cut)
      socket.on('close', () => {
        sockets.delete(socket)
        cut()
      })
    }
    client.on('data', (chunk) => {
      const how = proxy.cutAt(texts(chunk.toString('latin1')))
      if (how === 'statement lost') return cut()
      isCut ||= how === 'reply lost'
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => (isCut ? cut() : client.write(chunk)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = server.address() as import('node:net').AddressInfo
  return Object.assign(proxy, { url: url.replace(`:${port}`, `:${own.port}`) })
}

/**
 * Adds the texts of the statements that were prepared before and are executed now, by the messages
 * Parse and Bind of PostgreSQL's protocol.
 */
function statementTexts(): (sent: string) => string {
  const prepared = new Map<string, string>()
  return (sent) => {
    for (const [, name = '', text = ''] of sent.matchAll(/P.{4}([^\0]+)\0([^\0]+\0)/gsu)) {
      prepared.set(name, text)
    }
    const names = [...sent.matchAll(/B.{4}\0([^\0]+)\0/gsu)].map(([, name = '']) => name)
    return sent + names.map((name) => prepared.get(name) ?? '').join('')
  }
}
