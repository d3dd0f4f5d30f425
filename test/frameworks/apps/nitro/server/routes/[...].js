import { webhook } from 'hookproof/h3'
import { createReceiver } from '../../receiver.js'

globalThis.contract ??= createReceiver()
const { options, handler, control } = globalThis.contract
const receive = webhook(options, handler)
const receiveLarge = webhook({ ...options, maxBodyBytes: undefined }, handler)

export default defineEventHandler(async (event) => {
  const record = control(event.path)
  if (record !== undefined) return record
  if (event.path === '/large') return receiveLarge(event)
  if (event.path === '/kept') await readBody(event)
  if (event.path === '/read') for await (const _ of event.node.req);
  return receive(event)
})
