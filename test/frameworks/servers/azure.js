import { app } from '@azure/functions'
import { webhook } from 'hookproof/azure'
import { createReceiver } from '../../adapters/receiver.js'
import { host } from './azure-host.js'

// node azure.js [stream]
if (process.argv[2] === 'stream') app.setup({ enableHttpStream: true })

const { options, handler, control, failed } = createReceiver()
const receive = webhook(options, handler)
const functions = {
  large: webhook({ ...options, maxBodyBytes: undefined }, handler),
  read: async (request, context) => {
    await request.json()
    return receive(request, context)
  },
  '{*path}': receive,
}
const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']
for (const [route, handler] of Object.entries(functions)) {
  const name = route.replaceAll(/\W/gu, '')
  app.http(name, { route, methods, authLevel: 'anonymous', handler })
}

await host(control, failed)
