// The receiver of the contract as a function from a web request to a response, in every app whose
// framework hands such requests over. Copied into the app, beside receiver.js.

import { webhook } from 'hookproof/fetch'
import { createReceiver } from './receiver.js'

// Some bundlers load a module once for each of its importers: the record is to be one.
globalThis.contract ??= createReceiver()
const { options, handler, control, failed } = globalThis.contract
const receive = webhook(options, handler)
const receiveLarge = webhook({ ...options, maxBodyBytes: undefined }, handler)

export { failed }

/** @param {Request} request */
export async function answer(request) {
  const { pathname } = new URL(request.url)
  const record = control(pathname)
  if (record !== undefined) return new Response(record)
  if (pathname === '/large') return receiveLarge(request)
  if (pathname === '/read') await request.text()
  return receive(request)
}
