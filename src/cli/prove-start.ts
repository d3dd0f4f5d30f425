import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { byUrl } from '../testing/by-url.ts'
import type { ProcessTarget } from '../testing/child.ts'
import { orLate } from '../testing/timers.ts'
import { shown } from './output.ts'
import { exitWords, signalGroup, startFailure, startShell } from './process-group.ts'
import { misuse } from './usage-error.ts'

/** How long a program may take until it answers. */
const START_MS = 30_000
/** How long an address may stay taken behind the end of a program. */
const FREE_MS = 3_000
const PROBE_MS = 2_000
const POLL_MS = 50
const MAX_OUTPUT = 64 * 1024
const QUOTED_LINES = 10

interface Running {
  readonly child: ChildProcess
  /** How it ended, once it has. */
  readonly ended: Promise<string>
  readonly output: () => string
}

/** The receiver as a child process, started by a command line, ended with all that it started. */
export function startedBy(commandLine: string, url: string): ProcessTarget {
  let running: Running | undefined
  return {
    async start() {
      await waitUntilFree(url)
      running = launch(commandLine)
      const trouble = await waitUntilAnswered(running, url)
      if (trouble === undefined) return url
      end(running)
      return misuse(
        'start_failed',
        [`the program of --start ${trouble}`, ...quoted(running)].join('\n'),
      )
    },
    async kill() {
      if (running === undefined) return
      end(running)
      await running.ended
      running = undefined
    },
  }
}

function launch(commandLine: string): Running {
  const child = startShell(commandLine, ['ignore', 'pipe', 'pipe'])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-MAX_OUTPUT)
    })
  }
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(startFailure(error)))
    child.once('close', (code, signal) => resolve(exitWords(code, signal)))
  })
  return { child, ended, output: () => output }
}

function end({ child }: Running): void {
  if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
}

/** Resolves to why there is no answer, if there is none. */
async function waitUntilAnswered({ ended }: Running, url: string): Promise<string | undefined> {
  let trouble: string | undefined
  ended.then((words) => {
    trouble = words
  })
  for (const until = Date.now() + START_MS; Date.now() < until; await sleep(POLL_MS)) {
    if (trouble !== undefined || (await probe(url)) === 'status') return trouble
  }
  return `gave no answer at ${url} in ${START_MS / 1000} s`
}

async function waitUntilFree(url: string): Promise<void> {
  for (const until = Date.now() + FREE_MS; (await probe(url)) !== 'refused'; await sleep(POLL_MS)) {
    if (Date.now() < until) continue
    misuse('start_failed', `something listens at ${url} already; end it, or leave out --start`)
  }
}

/** What an unsigned delivery meets there; it is refused, and does nothing. */
async function probe(url: string): Promise<string> {
  let abandon = (): void => {}
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve
  })
  const request = { headers: {}, body: new Uint8Array(), fault: undefined, abandoned }
  const reply = await orLate(byUrl(url)(request), PROBE_MS, { kind: 'late' })
  abandon()
  return reply.kind
}

function quoted({ output }: Running): string[] {
  const lines = output().split(/\r?\n/u)
  return lines
    .filter((line) => line !== '')
    .slice(-QUOTED_LINES)
    .map((line) => `  ${shown(line)}`)
}
