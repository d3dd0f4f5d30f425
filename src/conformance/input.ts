import { decodeHex, utf8 } from '../core/bytes.ts'
import { isObject } from '../core/envelope.ts'
import { SuiteError } from './suite-error.ts'

/** What a case gives to `verify`: the members of its `input`, bytes decoded. */
export interface VerifyInput {
  /** Header lines in wire order, names as they were sent. */
  readonly headers: readonly (readonly [name: string, value: Uint8Array])[]
  /** The joined value of the signature header, for verifiers that take one string. */
  readonly header?: string | null
  /** `null`: no body. */
  readonly body: Uint8Array | null
  readonly secrets: readonly Uint8Array[]
  /** Unix seconds, which may have a fraction. */
  readonly now: string
  /** Seconds; `null`: the scheme's default. */
  readonly tolerance: number | null
  readonly limits?: { readonly maxBodyBytes?: number }
}

/** What a case gives to `sign`. */
export interface SignInput {
  readonly secrets: readonly Uint8Array[]
  readonly body: Uint8Array
  /** Unix seconds as they are to be signed; absent where no time is signed. */
  readonly timestamp?: string
  readonly id?: string
}

/** What a case gives to `mac`. */
export interface MacInput {
  readonly key: Uint8Array
  readonly message: Uint8Array
}

/** A case's input with every bytes object in it decoded. */
export function decodeInput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeInput)
  if (!isObject(value)) return value
  if ('utf8' in value || 'hex' in value || 'parts' in value) return decodeBytes(value)
  return mapMembers(value, decodeInput)
}

/** An object with each member replaced; a member named `__proto__` stays one. */
export function mapMembers(
  object: Readonly<Record<string, unknown>>,
  change: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}

/** Exactly one of `utf8`, `hex` or `parts`, with the length that it must come to. */
function decodeBytes(object: Readonly<Record<string, unknown>>): Uint8Array {
  const parts = (Array.isArray(object.parts) ? object.parts : [object]).map(partBytes)
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  if (bytes.length !== object.length) throw new SuiteError('a bytes object has another length')
  return bytes
}

function partBytes({ utf8: text, hex, times = 1 }: Record<string, unknown>): Uint8Array {
  const unit = typeof hex === 'string' ? decodeHex(hex, 0, hex.length) : utf8(String(text))
  if (unit === undefined) throw new SuiteError('a bytes object holds wrong hex digits')
  const bytes = new Uint8Array(unit.length * Number(times))
  for (let at = 0; unit.length > 0 && at < bytes.length; at += unit.length) bytes.set(unit, at)
  return bytes
}
