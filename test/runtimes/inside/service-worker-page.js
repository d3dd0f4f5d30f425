import { contractReport } from '../suite/contract.js'

// The page that registers the service worker and waits until it is controlled by it. Then it asks it for the suite's
// report, and sends it deliveries.
const controlled = new Promise((resolve) => {
  navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true })
})
await navigator.serviceWorker.register('/service-worker.js')
await controlled
const report = await fetch('/suite').then((response) => response.json())
const contract = await contractReport({
  url: `${location.origin}/receiver`,
  fetch: (url, init) => fetch(url, init),
})
await fetch('/report', { method: 'POST', body: JSON.stringify({ ...report, contract }) })
