import { fail } from './errors.ts'
import type { HeaderLookup, HeadersInput } from './request.ts'

/**
 * The value of a header by its lower-case name, `undefined` when absent. Repeated lines are joined
 * with `, ` in order (RFC 9110 §5.3).
 */
export type HeaderReader = (name: string) => string | undefined

/** Throws `headers_invalid` for what is no set of headers; a stranger's header values never do. */
export function headerReader(headers: HeadersInput): HeaderReader {
  if (typeof headers !== 'object' || headers === null) invalid()
  // An iterator comes before `get`, because a Map has a `get` that minds the case; that of Headers
  // does not, and says more than their iterator does on some runtimes.
  if (Symbol.iterator in headers && !isHeaders(headers)) return pairReader([...headers])
  const lookup = headers as { get?: unknown }
  return typeof lookup.get === 'function'
    ? (name) => lines((headers as HeaderLookup).get(name))
    : recordReader(headers as { readonly [name: string]: unknown })
}

function isHeaders(headers: object): boolean {
  return Object.prototype.toString.call(headers) === '[object Headers]'
}

function pairReader(pairs: readonly unknown[]): HeaderReader {
  if (!pairs.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string')) invalid()
  return (name) => {
    let joined: string | undefined
    for (const [key, value] of pairs as readonly (readonly [string, unknown])[]) {
      if (isNamed(key, name)) joined = append(joined, lines(value))
    }
    return joined
  }
}

function recordReader(record: { readonly [name: string]: unknown }): HeaderReader {
  return (name) => {
    let joined: string | undefined
    for (const key in record) {
      if (isNamed(key, name) && Object.hasOwn(record, key)) {
        joined = append(joined, lines(record[key]))
      }
    }
    return joined
  }
}

/** Without regard to ASCII case; the Kelvin sign is the other character whose lower case is ASCII. */
function isNamed(key: string, name: string): boolean {
  if (key === name) return true
  return key.length === name.length && key.toLowerCase() === name && !key.includes('\u212a')
}

/** One header's value: text, a list of lines, or nothing. */
function lines(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) invalid()
  return value.reduce<string | undefined>((joined, line) => append(joined, lines(line)), undefined)
}

function append(joined: string | undefined, line: string | undefined): string | undefined {
  return joined === undefined || line === undefined ? (joined ?? line) : `${joined}, ${line}`
}

function invalid(): never {
  fail(
    'headers_invalid',
    'headers must be Headers, a record such as request.headers, or [name, value] pairs, not the flat rawHeaders',
  )
}
