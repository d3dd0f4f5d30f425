import { H3, serve } from 'h3'
import { webhook } from 'hookproof/h3'
import { createReceiver } from '../../adapters/receiver.js'

const { options, handler, control, failed } = createReceiver()
const receive = webhook(options, handler)
const app = new H3({ onError: (error) => failed(error.cause ?? error) })
app.get('/-/:name', (event) => control(event.req.url))
app.all('/large', webhook({ ...options, maxBodyBytes: undefined }, handler))
app.use('/read', async (event) => {
  await event.req.json()
})
app.all('/**', receive)
const server = serve(app, { hostname: '127.0.0.1', port: 0, silent: true })
await server.ready()
console.log(`listening on ${server.url}`)
