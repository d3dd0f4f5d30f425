import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'

export const isWindows: boolean = process.platform === 'win32'
const alive = new Set<number>()
let isGuarded = false

/**
 * Notes a child that leads a process group of its own: whatever ends this process ends the group, too.
 * `undefined` is one that could not be started.
 */
export function guardGroup(pid: number | undefined): void {
  if (pid !== undefined) alive.add(pid)
  if (isGuarded) return
  isGuarded = true
  process.once('exit', endGroups)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      endGroups()
      process.kill(process.pid, signal)
    })
  }
}

/** Starts a command line as the user's shell reads it, in a process group of its own. */
export function startShell(commandLine: string, stdio: StdioOptions): ChildProcess {
  const child = spawn(commandLine, { shell: true, detached: !isWindows, stdio })
  guardGroup(child.pid)
  child.once('exit', () => forgetGroup(child.pid))
  return child
}

/** Ends what is left of a group whose leader is gone, and forgets it. */
export function forgetGroup(pid: number | undefined): void {
  if (pid === undefined) return
  signalGroup(pid, 'SIGKILL')
  alive.delete(pid)
}

/** Ends every group that still runs. */
export function endGroups(): void {
  for (const pid of alive) signalGroup(pid, 'SIGKILL')
}

export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
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

export function exitWords(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === null) return `exited with code ${code}`
  return `was ended by signal ${signal} (${constants.signals[signal]})`
}

export function startFailure({ code }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'could not be started: there is no such program'
  return `could not be started (${code ?? 'unknown error'})`
}
