import { serve } from '@hono/node-server'
import { elysiaApp } from './elysia-app.js'

const { handle } = elysiaApp()
serve({ fetch: (request) => handle(request), hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`)
})
