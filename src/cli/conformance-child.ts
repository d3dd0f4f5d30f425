import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { splitLines } from './conformance-lines.ts'
import {
  exitWords,
  forgetGroup,
  guardGroup,
  isWindows,
  signalGroup,
  startFailure,
} from './process-group.ts'

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
  /** The next line, or what came instead of one within the limit. */
  next(limitMs: number): Promise<ChildEvent>
  /** Resolves when the process has taken the line, is gone, or the limit is over. */
  write(line: string, limitMs: number): Promise<void>
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

/** Holds nothing up: while it is waited for, the process or its output is there. */
const grace = (): Promise<void> => sleep(GRACE_MS, undefined, { ref: false })

/** Starts a program without a shell, in a process group of its own. */
export function startChild([program = '', ...args]: readonly string[]): Child {
  const child = spawn(program, args, { detached: !isWindows, stdio: ['pipe', 'pipe', 'pipe'] })
  const { pid } = child
  guardGroup(pid)
  // A process that reads no more shows in its silence or its exit.
  child.stdin.on('error', () => {})
  let stderr = Buffer.alloc(0)
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-MAX_STDERR)
  })

  const lines = splitLines(MAX_LINE)
  let wake = (): void => {}
  child.stdout.on('data', (chunk: Buffer) => {
    lines.push(chunk)
    wake()
  })

  /** How it ended, as soon as no more lines can come. */
  let end: Exit | undefined
  const ended = (exit: Exit): void => {
    end ??= exit
    wake()
  }
  const closed = Promise.all(
    [child.stdout, child.stderr].map(
      (output) => new Promise<void>((resolve) => output.once('close', resolve)),
    ),
  )
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, words: startFailure(error) }))
    child.once('exit', (code, signal) => resolve({ code, words: exitWords(code, signal) }))
  })
  let isGone = false
  exited.then(async (exit) => {
    isGone = true
    forgetGroup(pid)
    // Its last lines, unless something it started holds the pipe open.
    await Promise.race([closed, grace()])
    child.stdout.destroy()
    child.stderr.destroy()
    ended(exit)
  })
  // A process that closes its output and stays is as good as gone.
  child.stdout.once('end', async () => {
    await Promise.race([exited, grace()])
    if (!isGone) ended({ code: null, words: 'closed its output without exiting' })
  })

  return {
    waiting: lines.waiting,
    async next(limitMs) {
      const until = performance.now() + limitMs
      for (;;) {
        const text = lines.take()
        if (text !== undefined) return { kind: 'line', text }
        if (lines.isTooLong()) return { kind: 'too_long' }
        if (end !== undefined) return { kind: 'exit', exit: end, rest: lines.rest() }
        const left = until - performance.now()
        if (left <= 0) return { kind: 'silence', received: lines.rest() }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    },
    write: (line, limitMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, limitMs)
        child.stdin.write(`${line}\n`, () => {
          clearTimeout(timer)
          resolve()
        })
      }),
    closeInput: () => child.stdin.end(),
    async kill() {
      if (pid === undefined) return
      if (!isGone) {
        signalGroup(pid, 'SIGTERM')
        await Promise.race([exited, grace()])
      }
      // Also when the process itself is gone: what it started may not be.
      signalGroup(pid, 'SIGKILL')
      await Promise.race([exited, grace()])
    },
    stderr: () => stderr.toString(),
  }
}
