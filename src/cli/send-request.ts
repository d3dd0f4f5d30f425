import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { SignedHeaders } from '../core/scheme.ts'

/** What came back for one request. */
export interface Answer {
  readonly status?: number
  /** The beginning of it. */
  readonly body?: string
  /** Why there is no status. */
  readonly error?: string
  readonly durationMs: number
}

/** As long as the provider waits. */
const TIMEOUT_MS = 10_000
const MAX_BODY = 16 * 1024
const NO_ANSWER = 'the connection ended without an answer'

/** Sends once, follows no redirect, and never throws for what the receiver does. */
export function post(url: string, headers: SignedHeaders, body: Uint8Array): Promise<Answer> {
  const begun = Date.now()
  const send = url.startsWith('https:') ? secureRequest : plainRequest
  return new Promise((resolve) => {
    const request = send(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'Content-Length': String(body.length) },
    })
    let answer = (error: string): Answer => ({ error, durationMs: Date.now() - begun })
    // The first end is the one that counts.
    const end = (error: string) => {
      clearTimeout(timer)
      resolve(answer(error))
      request.destroy()
    }
    const timer = setTimeout(() => end('no answer'), TIMEOUT_MS)
    request.on('error', (error) => end(reasonOf(error)))
    request.on('close', () => end(NO_ANSWER))
    request.on('response', (response) => {
      const durationMs = Date.now() - begun
      const { statusCode: status = 0 } = response
      let beginning = Buffer.alloc(0)
      // The status is the answer, whatever becomes of the rest.
      answer = () => ({ status, body: beginning.toString().trim(), durationMs })
      response.on('data', (chunk: Buffer) => {
        beginning = Buffer.concat([beginning, chunk]).subarray(0, MAX_BODY)
        if (beginning.length === MAX_BODY) end('')
      })
      response.on('error', () => end(''))
      response.on('end', () => end(''))
    })
    request.end(body)
  })
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'nobody listens there'],
  ['ENOTFOUND', 'there is no such host'],
])

function reasonOf({ code }: NodeJS.ErrnoException): string {
  return REASONS.get(code) ?? NO_ANSWER
}
