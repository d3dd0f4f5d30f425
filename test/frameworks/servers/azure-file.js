import { pathToFileURL } from 'node:url'
import { host } from './azure-host.js'

// node azure-file.js <file>: the functions that the file registers.
await import(pathToFileURL(process.argv[2]).href)
await host(() => undefined, console.error)
