import { createSigner } from '../../dist/index.js'
import type { Target } from '../adapters/contract.ts'
import { NOW, SECRET } from '../adapters/receiver.js'
import { BODY } from '../fixtures.ts'

// Checks beyond the contract, of frameworks that have something of their own to be asked.

const signer = createSigner({ secret: SECRET, now: () => NOW })

/** Sends a good delivery, as JSON. */
export async function deliver({ url, fetch }: Target, path = ''): Promise<Response> {
  const headers = { ...(await signer.sign({ body: BODY })), 'Content-Type': 'application/json' }
  return fetch(`${url}${path}`, { method: 'POST', headers, body: BODY })
}

/** What the receiver has recorded since the check began. */
export async function record({ url, fetch }: Target): Promise<Record<string, unknown>[]> {
  return (await fetch(`${url}/-/seen`)).json()
}

export function same(actual: unknown, expected: unknown): void {
  const [a, b] = [actual, expected].map((value) => JSON.stringify(value))
  if (a !== b) throw new Error(`expected ${b}, got ${a}`)
}
