import { webhook } from '../../../dist/adapters/deno.js'
import { createReceiver } from '../../adapters/receiver.js'

const { options, handler, control } = createReceiver()
const receive = webhook(options, handler)

Deno.serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    onListen: ({ port }) => console.log(JSON.stringify({ http: `http://127.0.0.1:${port}` })),
  },
  (request) => {
    const record = control(request.url)
    return record === undefined ? receive(request) : new Response(record)
  },
)
