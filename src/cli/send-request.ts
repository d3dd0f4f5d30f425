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

/** Sends once, follows no redirect, and never throws for what the receiver does. */
export async function post(url: string, headers: SignedHeaders, body: Uint8Array): Promise<Answer> {
  const begun = Date.now()
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      redirect: 'manual',
      signal,
    })
    const durationMs = Date.now() - begun
    return { status: response.status, body: await beginningOf(response), durationMs }
  } catch (error) {
    return { error: reasonOf(error), durationMs: Date.now() - begun }
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= MAX_BODY) break
    }
  } catch {
    // The status is the answer; what broke off behind it is left out.
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY).toString().trim()
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'nobody listens there'],
  ['ENOTFOUND', 'there is no such host'],
])

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error
  if (name === 'TimeoutError') return 'no answer'
  const { code } = Object(cause) as { readonly code?: unknown }
  return REASONS.get(code) ?? 'the connection ended without an answer'
}
