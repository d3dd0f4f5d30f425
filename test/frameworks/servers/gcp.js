import { http } from '@google-cloud/functions-framework'
import { webhook } from 'hookproof/gcp'
import { createReceiver } from '../../adapters/receiver.js'

// Started by the framework's own command.

const { options, handler, control, failed } = createReceiver()
const receive = webhook(options, handler)
const large = webhook({ ...options, maxBodyBytes: undefined }, handler)

/** What a program may do to a request before the receiver, by path. */
const BEFORE = {
  '/parsed': (request) => delete request.rawBody,
  '/read': (request) => delete request.rawBody && delete request.body,
}

http('contract', (request, response) => {
  const record = control(request.url)
  if (record !== undefined) return response.end(record)
  BEFORE[request.path]?.(request)
  return (request.path === '/large' ? large : receive)(request, response)
})

console.error = failed
