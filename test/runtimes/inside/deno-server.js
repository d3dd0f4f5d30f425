import { webhook } from '../../../dist/adapters/deno.js'
import { createReceiver } from '../../adapters/receiver.js'

const { options, handler, control } = createReceiver()
const receive = webhook(options, handler)
const large = webhook({ ...options, maxBodyBytes: undefined }, handler)

Deno.serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    onListen: ({ port }) => console.log(JSON.stringify({ http: `http://127.0.0.1:${port}` })),
  },
  (request) => {
    const record = control(request.url)
    if (record !== undefined) return new Response(record)
    return (request.url.endsWith('/large') ? large : receive)(request)
  },
)
