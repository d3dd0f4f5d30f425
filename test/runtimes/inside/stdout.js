import { report } from '../suite/bundled.js'

// Deno and Bun.
const version = globalThis.Deno?.version.deno ?? globalThis.Bun.version
console.log(JSON.stringify({ version, ...(await report()) }))
