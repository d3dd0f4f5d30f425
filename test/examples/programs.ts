import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createSigner } from '../../dist/index.js'
import { leftOut } from '../requirements.ts'
import { within, withProgram } from '../runtimes/host/processes.js'

// The programs of docs/examples, with the libraries that they ask their users to install.

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LIBRARIES = `${ROOT}test/inbox/drivers/node_modules`
const SECRET = 'test_only_example'
/** What some of the libraries need. */
export const NODE_22 = `${ROOT}test/runtimes/node_modules/node22/bin/node`

/** Whether these files are there, such as those of a library; under CI they must be. */
export function hasFiles(...paths: readonly string[]): boolean {
  const missing = paths.filter((path) => !existsSync(path))
  return !leftOut(missing.map((path) => path.replace(ROOT, '')))
}

export function library(name: string): string {
  return `${LIBRARIES}/${name}`
}

/** A folder below the project, so that the package finds itself by its name, with the libraries. */
export function programFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(`${ROOT}test/examples/.run-`)
  symlinkSync(LIBRARIES, `${path}/node_modules`)
  return { path, remove: () => rmSync(path, { recursive: true }) }
}

/** A program of docs/examples, where it finds its libraries. */
export function programIn(folder: string, name: string): string {
  copyFileSync(`${ROOT}docs/examples/${name}`, `${folder}/${name}`)
  return `${folder}/${name}`
}

export interface Program {
  /** Waits until it has printed such a line. */
  readonly says: (line: RegExp) => Promise<RegExpExecArray>
  readonly kill: () => Promise<void>
}

interface Command {
  readonly file: string
  readonly args?: readonly string[]
  readonly node?: string
  readonly env: { readonly [name: string]: string }
}

/** Runs an example for as long as `use` takes. */
export function withExample<T>(
  { file, args = [], node = process.execPath, env }: Command,
  use: (program: Program) => Promise<T>,
): Promise<T> {
  return withProgram(
    node,
    [file, ...args],
    async ({ child, ended, text, errors }) => {
      const printed = () => `${text()}${errors()}`
      const says = async (line: RegExp) => {
        for (;;) {
          const found = line.exec(text())
          if (found !== null) return found
          const over = await Promise.race([ended, pause(20)])
          if (over !== undefined) throw new Error(`it ended with ${over}`)
        }
      }
      return use({
        says: (line) =>
          within(30, says(line), `${line}`).catch((error) => {
            throw new Error(`${error.message}:\n${printed()}`)
          }),
        async kill() {
          process.kill(child.pid as number, 'SIGKILL')
          await ended
        },
      })
    },
    { env: { ...process.env, WEBHOOK_SECRET: SECRET, PORT: '0', ...env } },
  )
}

/** Sends a receiver a payment, and gives the status. */
export async function pay({ says }: Program, id: string, invoice: string): Promise<number> {
  const [, url = ''] = await says(/listening on (\S+)/u)
  const event = { event_id: id, event_type: 'invoice.paid', version: 1, occurred_at: 1 }
  const body = JSON.stringify({ ...event, data: { invoice_id: invoice } })
  const headers = { ...(await createSigner({ secret: SECRET }).sign({ body })) }
  return (await fetch(url, { method: 'POST', headers, body })).status
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined))
}
