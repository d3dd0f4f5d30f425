import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a process ended, in words. */
export interface Exit {
  readonly code: number | null
  readonly words: string
}

export type ChildEvent =
  | { readonly kind: 'line'; readonly text: string }
  /** No more lines come; `rest` is the length of one without an end. */
  | { readonly kind: 'exit'; readonly exit: Exit; readonly rest: number }
  | { readonly kind: 'too_long' }
  /** Nothing came in time; `received` bytes without a line end did. */
  | { readonly kind: 'silence'; readonly received: number }

/** A child process that is spoken to in lines. */
export interface Child {
  /** Lines that came and were not taken yet. */
  waiting(): number
  /** The next line, or what came instead; without a limit, waits for ever. */
  next(limitMs: number): Promise<ChildEvent>
  write(line: string): void
  closeInput(): void
  /** Ends it and all it started: asks, and after a second insists. */
  kill(): Promise<void>
  /** The end of what it wrote to standard error. */
  stderr(): string
}

const MAX_LINE = 32 * 1024 * 1024
const MAX_STDERR = 64 * 1024
/** How long a process may take to end, and its output to close behind it. */
const GRACE_MS = 1000
const LF = 0x0a

/** Holds nothing up: while it is waited for, the process or its output is there. */
const grace = (): Promise<void> => sleep(GRACE_MS, undefined, { ref: false })

const isWindows = process.platform === 'win32'
const alive = new Set<number>()

/** Whatever ends this process ends the adapters as well, which have process groups of their own. */
function killAll(): void {
  for (const pid of alive) signalGroup(pid, 'SIGKILL')
}

let isGuarded = false
function guard(): void {
  if (isGuarded) return
  isGuarded = true
  process.once('exit', killAll)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      killAll()
      process.kill(process.pid, signal)
    })
  }
}

export function startChild([program = '', ...args]: readonly string[]): Child {
  guard()
  const child = spawn(program, args, { detached: !isWindows, stdio: ['pipe', 'pipe', 'pipe'] })
  const { pid } = child
  if (pid !== undefined) alive.add(pid)
  const output = readLines(child)
  let stderr = Buffer.alloc(0)
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-MAX_STDERR)
  })
  // A process that reads no more shows in its silence or its exit.
  child.stdin.on('error', () => {})
  return {
    waiting: () => output.lines.length,
    next: output.next,
    write: (line) => child.stdin.write(`${line}\n`),
    closeInput: () => child.stdin.end(),
    async kill() {
      if (pid === undefined) return
      if (!output.hasExited()) {
        signalGroup(pid, 'SIGTERM')
        await Promise.race([output.exited, grace()])
      }
      // Also when the process itself is gone: what it started may not be.
      signalGroup(pid, 'SIGKILL')
      await Promise.race([output.exited, grace()])
    },
    stderr: () => stderr.toString(),
  }

  function readLines({ stdout }: ChildProcessByStdio<Writable, Readable, Readable>) {
    const lines: string[] = []
    let pieces: Buffer[] = []
    let length = 0
    let isTooLong = false
    let exit: Exit | undefined
    let isGone = false
    let isOver = false
    let wake = (): void => {}
    stdout.on('data', (chunk: Buffer) => {
      let from = 0
      for (let end = chunk.indexOf(LF); end >= 0 && !isTooLong; end = chunk.indexOf(LF, from)) {
        pieces.push(chunk.subarray(from, end))
        lines.push(Buffer.concat(pieces).toString().replace(/\r$/u, ''))
        pieces = []
        length = 0
        from = end + 1
      }
      if (from < chunk.length && !isTooLong) pieces.push(chunk.subarray(from))
      length += chunk.length - from
      if (length > MAX_LINE) {
        isTooLong = true
        pieces = []
      }
      wake()
    })
    const closed = new Promise<void>((resolve) => stdout.once('close', resolve))
    const exited = new Promise<void>((resolve) => {
      const settle = async (words: string, code: number | null): Promise<void> => {
        exit ??= { code, words }
        isGone = true
        resolve()
        if (pid !== undefined) {
          signalGroup(pid, 'SIGKILL')
          alive.delete(pid)
        }
        // Its last lines, unless something it started holds the pipe open.
        await Promise.race([closed, grace()])
        stdout.destroy()
        isOver = true
        wake()
      }
      child.once('error', (error: NodeJS.ErrnoException) => settle(startFailure(error), null))
      child.once('exit', (code, signal) => settle(exitWords(code, signal), code))
    })
    // A process that closes its output and stays is as good as gone.
    stdout.once('end', async () => {
      await Promise.race([exited, grace()])
      if (exit !== undefined) return
      exit = { code: null, words: 'closed its output without exiting' }
      isOver = true
      wake()
    })
    const current = (): ChildEvent | undefined => {
      const text = lines.shift()
      if (text !== undefined) return { kind: 'line', text }
      if (isTooLong) return { kind: 'too_long' }
      if (isOver && exit !== undefined) return { kind: 'exit', exit, rest: length }
      return undefined
    }
    const next = async (limitMs: number): Promise<ChildEvent> => {
      const at = performance.now() + limitMs
      for (;;) {
        const event = current()
        if (event !== undefined) return event
        const left = at - performance.now()
        if (left <= 0) return { kind: 'silence', received: length }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    }
    return { lines, next, exited, hasExited: () => isGone }
  }
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (isWindows) {
    spawnSync('taskkill', ['/T', '/F', '/PID', String(pid)], { stdio: 'ignore' })
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}

function exitWords(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === null) return `exited with code ${code}`
  return `was ended by signal ${signal} (${constants.signals[signal]})`
}

function startFailure({ code }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'could not be started: there is no such program'
  return `could not be started (${code ?? 'unknown error'})`
}
