import { report } from '../suite/bundled.js'

// A service worker: it answers one request of the page that it controls with what the suite says.
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  if (event.request.url.endsWith('/suite')) {
    event.respondWith(report().then((found) => Response.json(found)))
  }
})
