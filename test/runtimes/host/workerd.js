import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILD } from './build-folder.js'
import { within, withProgram } from './processes.js'

const PROGRAM = join(BUILD, '../node_modules/@cloudflare/workerd-linux-64/bin/workerd')

/**
 * Runs the Worker in workerd with the compatibility flags for as long as `use` takes.
 * @template T
 * @param {readonly string[]} flags
 * @param {(url: string, ended: Promise<number>) => Promise<T>} use
 * @param {string} [folder] of its worker.js
 * @returns {Promise<T>}
 */
export function withWorkerd(flags, use, folder = BUILD) {
  const config = join(folder, `workerd-${process.pid}.capnp`)
  writeFileSync(config, configOf(flags))
  return withProgram(
    PROGRAM,
    ['serve', config, '--control-fd=3'],
    async ({ child, ended, errors }) => {
      // It says on the control pipe which port it took.
      const line = new Promise((resolve) =>
        child.stdio[3].setEncoding('utf8').once('data', resolve),
      )
      const died = ended.then(() => Promise.reject(new Error(errors())))
      const { port } = JSON.parse(await within(20, Promise.race([line, died]), 'workerd'))
      return use(`http://127.0.0.1:${port}`, ended)
    },
    { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  )
}

/** @returns {Promise<string>} */
export function workerdVersion() {
  return withProgram(PROGRAM, ['--version'], async ({ ended, text }) => {
    await ended
    return text().trim().replace('workerd ', '')
  })
}

function configOf(flags) {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-04-01",
  compatibilityFlags = ${JSON.stringify(flags)}
);
`
}
