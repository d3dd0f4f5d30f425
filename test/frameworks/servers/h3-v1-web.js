import { buffer } from 'node:stream/consumers'
import { serve } from '@hono/node-server'
import { createApp, defineEventHandler, readRawBody, toNodeListener, toWebHandler } from 'h3v1'
import { webhook } from 'hookproof/h3'
import { callNodeRequestHandler } from 'node-mock-http'
import { createReceiver } from '../../adapters/receiver.js'

// Version 1 on platforms that are no server of Node: as a function of web requests, and with a
// body that the platform has collected and maybe parsed.

const { options, handler, control, failed } = createReceiver()
const app = createApp({ onError: (error) => failed(error.cause ?? error) })
app.use('/large', defineEventHandler(webhook({ ...options, maxBodyBytes: undefined }, handler)))
app.use(
  '/read',
  defineEventHandler(async (event) => {
    await readRawBody(event)
  }),
)
app.use(defineEventHandler(webhook(options, handler)))
const onWeb = toWebHandler(app)
const onNode = toNodeListener(app)

const COLLECTED = {
  '/kept/buffer': (body) => body,
  '/kept/text': (body) => body.toString(),
  '/parsed': (body) => JSON.parse(body),
}

async function answer(request) {
  const record = control(request.url)
  if (record !== undefined) return new Response(record)
  const { pathname } = new URL(request.url)
  const collect = COLLECTED[pathname]
  if (collect === undefined) return onWeb(request)
  const { method, headers } = request
  const body = collect(await buffer(request.body))
  const answered = await callNodeRequestHandler(onNode, { url: pathname, method, headers, body })
  return new Response(answered.body, { status: answered.status, headers: answered.headers })
}

serve({ fetch: answer, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`)
})
