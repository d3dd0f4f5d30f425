import { text } from 'node:stream/consumers'
import { webhook } from 'hookproof/express'
import { createReceiver } from '../../adapters/receiver.js'

// Express 5, or another version by the name it is installed under.
const { default: express } = await import(process.argv[2] ?? 'express')

const { options, handler, control, failed } = createReceiver()
const receive = webhook(options, handler)
const keep = (request, _response, bytes) => Object.assign(request, { rawBody: bytes })
const app = express()
// Else Express shows a stack to everybody.
app.set('env', 'production')
app.get(/\/-\/(?:reset|seen)$/u, (request, response) => response.send(control(request.url)))
app.use('/large', webhook({ ...options, maxBodyBytes: undefined }, handler))
app.use('/kept', express.json({ verify: keep }), receive)
app.use('/raw', express.raw({ type: '*/*' }), receive)
app.use('/text', express.text({ type: '*/*' }), receive)
app.use('/parsed', express.json(), receive)
// Too late: the body is parsed, and the second parser knows.
app.use('/parsed-first', express.json(), express.raw({ type: '*/*' }), receive)
app.use('/read', (request, _response, next) => text(request).then(() => next()), receive)
app.use(receive)
app.use((error, _request, _response, next) => {
  failed(error)
  next(error)
})
const server = app.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
