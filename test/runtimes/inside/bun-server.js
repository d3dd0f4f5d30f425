import { webhook } from '../../../dist/adapters/bun.js'
import { createReceiver } from '../../adapters/receiver.js'

const { options, handler, control } = createReceiver()

const { port } = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  routes: {
    '/-/*': (request) => new Response(control(request.url)),
    '/large': webhook({ ...options, maxBodyBytes: undefined }, handler),
    '/*': webhook(options, handler),
  },
})
console.log(JSON.stringify({ http: `http://127.0.0.1:${port}` }))
