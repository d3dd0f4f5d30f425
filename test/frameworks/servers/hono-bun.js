import { honoApp } from './hono-app.js'

const { fetch } = honoApp()
const { port } = Bun.serve({ fetch, hostname: '127.0.0.1', port: 0, development: false })
console.log(`listening on http://127.0.0.1:${port}`)
