import { webhook } from 'hookproof/next'
import { createReceiver } from '../../receiver.js'

export const config = { api: { bodyParser: false } }

globalThis.contract ??= createReceiver()
const { options, handler, control } = globalThis.contract
const receive = webhook(options, handler)
const receiveHalf = webhook(options, (_, { response }) => {
  response.writeHead(200).write('half an')
  throw new Error('the other half')
})
const receiveLarge = webhook({ ...options, maxBodyBytes: undefined }, handler)

export default async function route(request, response) {
  const record = control(request.url)
  if (record !== undefined) return response.send(record)
  if (request.url.endsWith('/large')) return receiveLarge(request, response)
  if (request.url.endsWith('/half')) return receiveHalf(request, response)
  if (request.url.endsWith('/read')) for await (const _ of request);
  return receive(request, response)
}
