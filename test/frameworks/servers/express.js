import express from 'express'
import { webhook } from 'hookproof/node'
import { createReceiver } from '../../adapters/receiver.js'

const { options, handler, control, failed } = createReceiver()
const receive = webhook(options, handler)
const app = express()
app.get(/\/-\/(?:reset|seen)$/u, (request, response) => response.send(control(request.url)))
app.use('/large', webhook({ ...options, maxBodyBytes: undefined }, handler))
app.use(
  '/kept',
  express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) }),
  receive,
)
app.use('/parsed', express.json(), receive)
app.use(receive)
app.use((error, _request, response, _next) => {
  failed(error)
  response.status(500).end()
})
const server = app.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
