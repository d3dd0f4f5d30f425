// node serve.js <app> <host> <command…>: runs the production server of an app that was built, on a
// free port of loopback, and says where it listens.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

const [app, host, command, ...args] = process.argv.slice(2)
const probe = createServer().listen(0, '127.0.0.1')
await once(probe, 'listening')
const { port } = probe.address()
probe.close()

// As a server is started by hand.
const { NODE_ENV: _, ...environment } = process.env
spawn(command, args, {
  stdio: 'inherit',
  cwd: `${import.meta.dirname}/.build/${app}`,
  env: { ...environment, HOST: '127.0.0.1', PORT: String(port) },
}).once('exit', (code) => process.exit(code ?? 1))

while (!(await isOpen())) await new Promise((resolve) => setTimeout(resolve, 50))
console.log(`listening on http://${host}:${port}`)

function isOpen() {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
