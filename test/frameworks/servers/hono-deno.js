import { honoApp } from './hono-app.js'

const { fetch } = honoApp()
const onListen = ({ port }) => console.log(`listening on http://127.0.0.1:${port}`)
Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, fetch)
