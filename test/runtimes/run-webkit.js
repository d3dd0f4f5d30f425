import { freePort } from './host/free-port.js'
import { within, withProgram } from './host/processes.js'
import { reportOfPage } from './host/site.js'

// WebKitGTK, by its own driver and on a display that nobody sees.

const OPTIONS = {
  binary: '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  args: ['--automation'],
}

const driverPort = await freePort()
const driver = ['-a', 'WebKitWebDriver', '--host=127.0.0.1', `--port=${driverPort}`]
await withProgram('xvfb-run', driver, async () => {
  await within(20, ready(), 'WebKitWebDriver')
  const alwaysMatch = { 'webkitgtk:browserOptions': OPTIONS }
  const { sessionId, capabilities } = await command('POST', '/session', {
    capabilities: { alwaysMatch },
  })
  try {
    const report = await reportOfPage((port) =>
      command('POST', `/session/${sessionId}/url`, { url: `http://localhost:${port}/page` }),
    )
    console.log(JSON.stringify({ version: capabilities.browserVersion, ...report }))
  } finally {
    await command('DELETE', `/session/${sessionId}`)
  }
})

async function command(method, path, body) {
  const response = await fetch(`http://127.0.0.1:${driverPort}${path}`, {
    method,
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  })
  const { value } = await response.json()
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value)}`)
  return value
}

async function ready() {
  for (;;) {
    const status = await command('GET', '/status').catch(() => undefined)
    if (status?.ready) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
