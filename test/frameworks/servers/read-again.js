import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { H3, toNodeHandler } from 'h3'
import { Hono } from 'hono'
import { webhook as inH3 } from 'hookproof/h3'
import { webhook as inHono } from 'hookproof/hono'

// Servers whose handler reads the body once more, by the framework's own reader: it gets what was
// accepted, and the function that reads.

export function honoReadingAgain(options, told) {
  const app = new Hono()
  const receive = inHono(options, (accepted, context) => told(accepted, () => context.req.json()))
  app.post('/', receive)
  return createServer(getRequestListener(app.fetch))
}

/** On web requests, and on Node. */
export function h3ReadingAgain(options, told) {
  const app = new H3()
  app.post(
    '/',
    inH3(options, (accepted, event) => told(accepted, () => event.req.json())),
  )
  return { node: createServer(toNodeHandler(app)), fetch: (request) => app.fetch(request) }
}
