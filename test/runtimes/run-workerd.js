import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILD } from './host/build-folder.js'
import { within, withProgram } from './host/processes.js'

// node run-workerd.js [nodejs_compat]
const flags = process.argv.slice(2)
const workerd = join(import.meta.dirname, 'node_modules/@cloudflare/workerd-linux-64/bin/workerd')
const config = join(BUILD, `workerd-${flags.join('-')}.capnp`)

writeFileSync(
  config,
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-04-01",
  compatibilityFlags = ${JSON.stringify(flags)}
);
`,
)

const version = await withProgram(workerd, ['--version'], async ({ ended, text }) => {
  await ended
  return text().trim().replace('workerd ', '')
})
// It says on the control pipe which port it took.
const report = await withProgram(
  workerd,
  ['serve', config, '--control-fd=3'],
  async ({ child, ended, errors }) => {
    const line = new Promise((resolve) => child.stdio[3].setEncoding('utf8').once('data', resolve))
    const died = ended.then(() => Promise.reject(new Error(errors())))
    const { port } = JSON.parse(await within(20, Promise.race([line, died]), 'workerd'))
    const response = await fetch(`http://127.0.0.1:${port}/`)
    if (!response.ok) throw new Error(errors())
    return response.json()
  },
  { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
)
console.log(JSON.stringify({ version, ...report }))
