import { fileURLToPath } from 'node:url'

// Runtimes other than this one, for programs of servers/.

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const MODULES = at('../runtimes/node_modules/')

type Command = readonly [command: string, ...args: string[]]

export const BUN: string = `${MODULES}@oven/bun-linux-x64/bin/bun`

export function inBun(program: string): Command {
  return [BUN, at(`servers/${program}`)]
}

export function inDeno(program: string): Command {
  const flags = ['run', '--no-prompt', '--no-lock', '--node-modules-dir=manual', '--allow-net']
  return [`${MODULES}@deno/linux-x64-glibc/deno`, ...flags, '--allow-env', at(`servers/${program}`)]
}

/** A program of Node that starts workerd by itself; so that it is known what is missing. */
export function inWorkerd(program: string): Command {
  const workerd = `${MODULES}@cloudflare/workerd-linux-64/bin/workerd`
  return [process.execPath, at(`servers/${program}`), workerd]
}
