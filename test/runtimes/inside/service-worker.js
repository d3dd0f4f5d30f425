import { webhook } from '../../../dist/adapters/browser.js'
import { createReceiver } from '../../adapters/receiver.js'
import { report } from '../suite/bundled.js'

// A service worker: it answers the page that it controls with the suite's report, and as a receiver of webhooks.

const { options, handler, control } = createReceiver()
const receive = webhook(options, handler)
const large = webhook({ ...options, maxBodyBytes: undefined }, handler)

addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url)
  if (pathname === '/suite') event.respondWith(report().then((found) => Response.json(found)))
  if (/^\/receiver(?:\/|$)/u.test(pathname)) event.respondWith(answer(event.request))
})

async function answer(request) {
  const record = control(request.url)
  if (record !== undefined) return new Response(record)
  return (request.url.endsWith('/large') ? large : receive)(request)
}
