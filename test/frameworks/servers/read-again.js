import { createServer } from 'node:http'
import middie from '@fastify/middie'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { H3, toNodeHandler } from 'h3'
import { Hono } from 'hono'
import { webhook as inExpress } from 'hookproof/express'
import { webhook as inFastify } from 'hookproof/fastify'
import { webhook as inH3 } from 'hookproof/h3'
import { webhook as inHono } from 'hookproof/hono'

// Set-ups that people had when they asked for help, and that the contract of adapters has no path
// for. Each function gives a server for `(options, handler)`.

/** A parser for every path, and a raw one on the route. */
export function expressWithTwoParsers(options, handler) {
  const app = express()
  app.use(express.json())
  app.post('/', express.raw({ type: '*/*' }), inExpress(options, handler))
  app.use((error, _request, response, _next) => response.status(500).send(error.code))
  return createServer(app)
}

/** A middleware of another framework, which reads the stream before. */
export async function fastifyWithMiddleware(options, handler) {
  const app = Fastify()
  await app.register(middie)
  app.use(express.json())
  app.setErrorHandler((error, _, reply) => reply.code(500).send(error.code))
  app.post('/', inFastify(options, handler))
  await app.ready()
  return app.server
}

/** A handler that reads the body once more, by the framework's own reader. */
export function honoReadingAgain(options, told) {
  const app = new Hono()
  const receive = inHono(options, (accepted, context) => told(accepted, () => context.req.json()))
  app.post('/', receive)
  return createServer(getRequestListener(app.fetch))
}

/** The same, on web requests and on Node. */
export function h3ReadingAgain(options, told) {
  const app = new H3()
  app.post(
    '/',
    inH3(options, (accepted, event) => told(accepted, () => event.req.json())),
  )
  return { node: createServer(toNodeHandler(app)), fetch: (request) => app.fetch(request) }
}
