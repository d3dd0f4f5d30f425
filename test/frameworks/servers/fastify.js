import { Readable } from 'node:stream'
import middie from '@fastify/middie'
import express from 'express'
import Fastify from 'fastify'
import rawBody from 'fastify-raw-body'
import { createSigner } from 'hookproof'
import { webhook } from 'hookproof/fastify'
import { createReceiver, NOW, SECRET } from '../../adapters/receiver.js'

const { options, handler, control, failed } = createReceiver()
const receive = webhook(options, handler)
// node fastify.js [http2]
const app = Fastify({ http2: process.argv[2] === 'http2' })
app.setErrorHandler((error, _request, reply) => {
  failed(error)
  // To Fastify's own handler, without the message that it would show.
  if (error instanceof Error) error.message = ''
  reply.send(error)
})
app.get('/-/:name', (request) => control(request.url))
app.post('/json', ({ body }) => body)
app.all('/large', webhook({ ...options, maxBodyBytes: undefined }, handler))

// Parsers and plugins of the app, before the whole route.
app.register(async (scope) => {
  await scope.register(rawBody)
  scope.post('/kept', receive)
  scope.post('/kept/by-a-plugin', receive.handler)
})
// Parsers of a scope, before the handler alone.
const scoped = (path, set) =>
  app.register(async (scope) => {
    set(scope)
    scope.post(path, receive.handler)
  })
scoped('/kept/as-a-buffer', (scope) =>
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request, body) => body,
  ),
)
scoped('/kept/unread', (scope) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
})
scoped('/parsed', () => {})
scoped('/kept/by-pre-parsing', (scope) =>
  scope.addHook('preParsing', async (request, _reply, payload) => {
    request.rawBody = Buffer.concat(await payload.toArray())
    return Readable.from([request.rawBody])
  }),
)

// Readers before any route.
app.register(async (scope) => {
  scope.addHook('onRequest', async ({ raw }) => {
    for await (const _ of raw);
  })
  scope.post('/read', receive)
})
app.register(async (scope) => {
  await scope.register(middie)
  scope.use(express.json())
  scope.post('/middleware', receive)
})
app.register(async (scope) => {
  const verify = (request, _response, bytes) => Object.assign(request, { rawBody: bytes })
  await scope.register(middie)
  scope.use(express.json({ verify }))
  scope.post('/kept/by-middleware', receive)
})

// Hooks, answers of the handler's own, and requests without a socket.
app.register(async (scope) => {
  scope.addHook('preHandler', async (_request, reply) => {
    reply.header('X-Hooks', 'preHandler')
  })
  scope.addHook('onSend', async (_request, reply) => {
    reply.header('X-Hooks', `${reply.getHeader('X-Hooks')}, onSend`)
  })
  scope.post('/hooks', receive)
})
app.post(
  '/own-answer',
  webhook(options, (_accepted, { request, reply }) => {
    const { 'content-type': type, 'content-length': length } = request.headers
    return reply.code(202).send(`${type} ${length}`)
  }),
)
app.get('/inject', async () => {
  const body = JSON.stringify({
    event_id: 'evt_1',
    event_type: 'invoice.paid',
    version: 1,
    occurred_at: NOW,
    data: {},
  })
  const statuses = [SECRET, 'another'].map(async (secret) => {
    const headers = await createSigner({ secret, now: () => NOW }).sign({ body })
    const request = { method: 'POST', url: '/webhook', headers, payload: body }
    return (await app.inject(request)).statusCode
  })
  return Promise.all(statuses)
})

app.all('/*', receive)
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
