import { elysiaApp } from './elysia-app.js'

elysiaApp().listen({ hostname: '127.0.0.1', port: 0, development: false }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`)
})
