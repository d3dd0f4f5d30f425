import { fail } from '../core/errors.ts'

/** The part of `node:http` and `node:https` that is called. */
export interface NodeHttp {
  request(url: string, options: object): NodeRequest
}
export interface NodeRequest {
  on(name: 'response', listener: (response: NodeResponse) => void): void
  on(name: 'error', listener: (error: { readonly code?: string }) => void): void
  write(chunk: Uint8Array): void
  end(chunk?: Uint8Array): void
  destroy(): void
}
export interface NodeResponse {
  readonly statusCode: number
  on(name: 'error', listener: () => void): void
  resume(): void
}

/** The part of `node:child_process` that is called. */
export interface NodeProcesses {
  spawn(command: string, args: readonly string[], options: object): NodeChild
}
export interface NodeChild {
  readonly pid?: number | undefined
  readonly stdout: NodeOutput
  readonly stderr: NodeOutput
  on(name: 'error' | 'close', listener: () => void): void
  kill(signal: 'SIGKILL'): void
}
interface NodeOutput {
  on(name: 'data', listener: (chunk: unknown) => void): void
}

interface Process {
  once?(name: 'exit', listener: () => void): void
  off?(name: 'exit', listener: () => void): void
  kill?(pid: number, signal: 'SIGKILL'): void
  getBuiltinModule?(name: 'node:http' | 'node:https'): NodeHttp
  getBuiltinModule?(name: 'node:child_process'): NodeProcesses
}

/**
 * Modules of Node, Bun and Deno without an import, so that one file loads on every runtime; looked up
 * when they are needed.
 */
export function nodeHttp(isSecure: boolean): NodeHttp {
  const { process } = globalThis as { process?: Process }
  const found = isSecure
    ? process?.getBuiltinModule?.('node:https')
    : process?.getBuiltinModule?.('node:http')
  return found ?? missing()
}

export function nodeProcesses(): NodeProcesses {
  const { process } = globalThis as { process?: Process }
  return process?.getBuiltinModule?.('node:child_process') ?? missing()
}

/** Calls back when this process ends, unless what is returned is called before. */
export function atExit(listener: () => void): () => void {
  const { process } = globalThis as { process?: Process }
  process?.once?.('exit', listener)
  return () => process?.off?.('exit', listener)
}

/** Ends a process that leads a group, and the group with it, as workers that a server has forked. */
export function killGroup(child: NodeChild): void {
  const { process } = globalThis as { process?: Process }
  try {
    if (child.pid !== undefined) process?.kill?.(-child.pid, 'SIGKILL')
  } catch {
    // Nothing of it is left, or this system has no groups.
    child.kill('SIGKILL')
  }
}

function missing(): never {
  fail('testing_invalid', 'a target by URL needs Node 20.16, Bun or Deno; pass a function instead')
}
