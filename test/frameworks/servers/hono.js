import { serve } from '@hono/node-server'
import { honoApp } from './hono-app.js'

serve({ fetch: honoApp().fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`)
})
