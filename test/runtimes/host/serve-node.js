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
    const large = webhook({ ...options, maxBodyBytes: undefined }, handler)
    const server = create((request, response) => {
      const record = control(request.url)
      if (record !== undefined) return response.end(record)
      return (request.url === '/large' ? large : receive)(request, response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    urls[name] = `http://127.0.0.1:${server.address().port}`
  }
  console.log(JSON.stringify(urls))
}
