import { pathToFileURL } from 'node:url'
import { serveFunctions } from './lambda-gateway.js'

// node lambda-file.js <file>: what the file exports as `handler`, behind an HTTP API.
const { handler } = await import(pathToFileURL(process.argv[2]).href)
serveFunctions(
  'http',
  () => handler,
  () => undefined,
  console.error,
)
