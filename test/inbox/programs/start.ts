import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { delivery, NOW, SECRET } from '../../fixtures.ts'
import { leftOut } from '../../requirements.ts'
import { within, withProgram } from '../../runtimes/host/processes.js'
import type { ProcessSpec } from './process.js'

const PROGRAM = fileURLToPath(new URL('process.js', import.meta.url))
const DRIVERS = fileURLToPath(new URL('../drivers/node_modules', import.meta.url))

/** Whether the drivers are installed; under CI they must be. */
export function hasDrivers(): boolean {
  return !leftOut(existsSync(DRIVERS) ? [] : ['test/inbox/drivers/node_modules'])
}

/** What `receives` is for a process that takes the deliveries of `deliveryOf`. */
export const RECEIVES = { secret: SECRET, now: NOW }

export interface Process {
  /** Where it listens, if it receives. */
  readonly url: string
  readonly text: () => string
  /** Waits until it has said so. */
  readonly says: (line: RegExp) => Promise<void>
  /** Lets it go on from the point where it stopped. */
  readonly resume: () => void
  /** From outside, as the system does it. */
  readonly kill: () => Promise<void>
  readonly isOver: () => boolean
}

/** Runs a process of the shop for as long as `use` takes. */
export function withProcess<T>(
  spec: ProcessSpec,
  use: (process: Process) => Promise<T>,
  runtime: string = process.execPath,
): Promise<T> {
  const args = [PROGRAM, JSON.stringify(spec)]
  return withProgram(
    runtime,
    args,
    async ({ child, ended, text, errors }) => {
      let isOver = false
      const over = ended.then((code) => {
        isOver = true
        return code
      })
      const says = async (line: RegExp) => {
        const wait = async () => {
          while (!line.test(text())) {
            if (isOver) throw new Error(`it ended with ${await over}:\n${text()}${errors()}`)
            await pause(4)
          }
        }
        await within(30, wait(), `${line} of ${JSON.stringify(spec)}`)
      }
      await says(/^(?:ready|listening on .+|at .+)$/mu)
      return use({
        url: /listening on (\S+)/u.exec(text())?.[1] ?? '',
        text,
        says,
        isOver: () => isOver,
        resume: () => child.stdin?.write('\n'),
        async kill() {
          process.kill(child.pid as number, 'SIGKILL')
          await over
        },
      })
    },
    { stdio: 'pipe' },
  )
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** A signed delivery of an event. */
export function deliveryOf(
  id: string,
  invoice: string,
  { type = 'invoice.paid', data = {}, occurredAt = NOW }: EventParts = {},
) {
  const event = {
    event_id: id,
    event_type: type,
    version: 1,
    occurred_at: occurredAt,
    data: { invoice_id: invoice, ...data },
  }
  return delivery(JSON.stringify(event))
}

interface EventParts {
  readonly type?: string
  readonly data?: object
  readonly occurredAt?: number
}

/** Posts a delivery, and gives the status; 0 without an answer. */
export async function post(url: string, { headers, body }: ReturnType<typeof deliveryOf>) {
  try {
    const answer = await fetch(url, { method: 'POST', headers, body })
    return [answer.status, await answer.json()] as const
  } catch {
    return [0, undefined] as const
  }
}

/** Runs so many at a time, in order. */
export async function inWaves<T>(
  items: readonly T[],
  width: number,
  run: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = [...items]
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: width }, work))
}
