// The page that registers the service worker, waits until it is controlled by it, and asks it for the suite's report.
const controlled = new Promise((resolve) => {
  navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true })
})
await navigator.serviceWorker.register('/service-worker.js')
await controlled
const response = await fetch('/suite')
await fetch('/report', { method: 'POST', body: await response.text() })
