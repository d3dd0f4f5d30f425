import { report } from '../suite/bundled.js'

// A page: what the suite says goes back to the server that the page came from.
const text = await report().then(JSON.stringify, (error) => JSON.stringify({ error: `${error}` }))
await fetch('/report', { method: 'POST', body: text })
