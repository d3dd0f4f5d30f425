import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { assertDiscreet, CLI, type Run } from './hookproof.ts'

/** Also a base64 text, as one of the providers wants it. */
export const SECRET = 'whsec_dGVzdF9vbmx5X3NlY3JldF9vZl9yZWNlaXZlcnM='

/** Runs the built command without blocking this process, which may be what it talks to. */
export async function command(
  args: readonly string[],
  {
    env = {},
    input = '',
    cwd,
  }: { env?: Record<string, string>; input?: string; cwd?: string } = {},
): Promise<Run> {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, HOOKPROOF_SECRET: SECRET, ...env },
    cwd,
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin.end(input)
  const [status] = await once(child, 'close')
  const run = { status, stdout, stderr }
  assertDiscreet(run)
  expect(stdout + stderr).not.toContain(SECRET)
  return run
}

export interface Received {
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/** A server for as long as `use` takes, with what reached it. */
export async function withServer<T>(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer((request, response) => {
    Promise.resolve(handle(request, response)).catch(() => {
      response.statusCode = 500
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
