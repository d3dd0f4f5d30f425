// The project's functions on Netlify's own local emulation, which runs each call in a worker.

import { FunctionsHandler } from '@netlify/functions-dev'
import { serve } from 'srvx'

const projectRoot = process.cwd()
const functions = new FunctionsHandler({
  config: { get: () => ({}) },
  destPath: `${projectRoot}/.netlify/functions-serve`,
  projectRoot,
  settings: {},
  geolocation: {},
  userFunctionsPath: `${projectRoot}/netlify/functions`,
  timeouts: {},
})

serve({
  silent: true,
  hostname: '127.0.0.1',
  async fetch(request) {
    const match = await functions.match(request, `${projectRoot}/.netlify/build`)
    return match?.handle(request) ?? new Response('no such function', { status: 404 })
  },
})
