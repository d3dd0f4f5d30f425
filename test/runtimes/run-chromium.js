import { chromium } from 'playwright-core'
import { reportOfPage } from './host/site.js'

// node run-chromium.js page | service-worker-page | plain-http
const [what] = process.argv.slice(2)

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // A name that is neither localhost nor an address: its pages are no secure context.
    '--host-resolver-rules=MAP receiver.test 127.0.0.1',
  ],
})
try {
  const page = await browser.newPage()
  const report = await reportOfPage((port) =>
    what === 'plain-http'
      ? page.goto(`http://receiver.test:${port}/page`)
      : page.goto(`http://localhost:${port}/${what}`),
  )
  console.log(JSON.stringify({ version: browser.version(), ...report }))
} finally {
  await browser.close()
}
