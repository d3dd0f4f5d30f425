import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createReceiver } from '../../adapters/receiver.js'

/** Serves the receiver of the contract over HTTP/1.1 and HTTP/2, and prints where. */
export async function serve(webhook) {
  const urls = {}
  for (const [name, create] of Object.entries({ http: createServer, http2: createHttp2Server })) {
    const { options, handler, control } = createReceiver()
    const receive = webhook(options, handler)
    const server = create((request, response) => {
      const record = control(request.url)
      return record === undefined ? receive(request, response) : response.end(record)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    urls[name] = `http://127.0.0.1:${server.address().port}`
  }
  console.log(JSON.stringify(urls))
}
