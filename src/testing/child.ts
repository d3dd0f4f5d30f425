import { fail } from '../core/errors.ts'
import { byUrl } from './by-url.ts'
import { atExit, killGroup, type NodeChild, nodeProcesses } from './node-modules.ts'
import { sleep } from './timers.ts'

/** A receiver in a process of its own, which the kit starts, and kills in the middle of its work. */
export interface ProcessTarget {
  /** Resolves to the receiver's address once it listens. */
  readonly start: () => Promise<string>
  /** Ends it at once, as a crash does. */
  readonly kill: () => Promise<void>
}

export interface ChildOptions {
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** Its address, or a pattern whose first group finds it in what the program prints. */
  readonly url: string | RegExp
  readonly cwd?: string | undefined
  /** Its whole environment; default: this process's. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined
  /** How long it may take until it listens; default 10,000. */
  readonly startMs?: number | undefined
}

/**
 * A program as a target. It is started once, in a process group of its own; where a scenario needs a
 * crash, that group is killed and the program started again. It ends with this process.
 *
 * @example
 * ```ts
 * import { childProcess, replayKit } from 'hookproof/testing'
 *
 * export const kit = replayKit({
 *   target: childProcess({
 *     command: 'php',
 *     args: ['-S', '127.0.0.1:8090', 'receiver.php'],
 *     url: 'http://127.0.0.1:8090/webhooks',
 *   }),
 *   secret: 'test_only_secret',
 *   observe: async (invoice) => (await fetch(`http://127.0.0.1:8090/shipped?id=${invoice}`)).json(),
 * })
 * ```
 */
export function childProcess({
  command,
  args = [],
  url,
  cwd,
  env,
  startMs = 10_000,
}: ChildOptions): ProcessTarget {
  let running: { readonly child: NodeChild; readonly ended: Promise<void> } | undefined
  return {
    async start() {
      const stdio = ['ignore', 'pipe', 'pipe']
      const options = { stdio, cwd, detached: true, ...(env && { env }) }
      const child = nodeProcesses().spawn(command, args, options)
      let output = ''
      let isOver = false
      const ended = new Promise<void>((resolve) => {
        const forget = atExit(() => killGroup(child))
        const end = () => {
          forget()
          isOver = true
          resolve()
        }
        child.on('error', end)
        child.on('close', end)
      })
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          output = `${output}${chunk}`.slice(-10_000)
        })
      }
      running = { child, ended }
      for (let waited = 0; waited < startMs && !isOver; waited += 25) {
        const address = typeof url === 'string' ? url : url.exec(output)?.[1]
        if (address !== undefined && (await listens(address))) return address
        await sleep(25)
      }
      killGroup(child)
      fail(
        'testing_invalid',
        `${command} ${isOver ? 'ended' : 'did not listen in time'}: ${output}`,
      )
    },
    async kill() {
      if (running) killGroup(running.child)
      await running?.ended
      running = undefined
    },
  }
}

/** Whether a server takes connections there; an unsigned delivery is refused, and does nothing. */
async function listens(address: string): Promise<boolean> {
  const never = new Promise<void>(() => {})
  const probe = { headers: {}, body: new Uint8Array(), fault: undefined, abandoned: never } as const
  return (await byUrl(address)(probe)).kind === 'status'
}
