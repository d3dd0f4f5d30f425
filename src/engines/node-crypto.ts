/**
 * The part of `node:crypto` that is called; Node, Bun, Deno and Workers with Node compatibility
 * have it.
 */
export interface NodeCrypto {
  createHmac(algorithm: 'sha256', key: unknown): NodeHmac
  createSecretKey(key: Uint8Array): unknown
  hash?(algorithm: 'sha256', data: Uint8Array, encoding: 'latin1'): string
  getFips?(): number | boolean
}

interface NodeHmac {
  update(data: Uint8Array): NodeHmac
  digest(): Uint8Array
}

interface Process {
  getBuiltinModule?(name: 'node:crypto'): NodeCrypto | undefined
}

let found: NodeCrypto | null | undefined

/**
 * `node:crypto` without an import, so that one file loads on every runtime; looked up once, when
 * first needed.
 */
export function nodeCrypto(): NodeCrypto | undefined {
  if (found === undefined) found = lookUp() ?? null
  return found ?? undefined
}

function lookUp(): NodeCrypto | undefined {
  try {
    // On some edge runtimes the function is there and throws.
    const { process } = globalThis as { process?: Process }
    const crypto = process?.getBuiltinModule?.('node:crypto')
    return typeof crypto?.createHmac === 'function' ? crypto : undefined
  } catch {
    return undefined
  }
}
