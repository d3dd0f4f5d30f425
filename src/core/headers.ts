import { fail } from './errors.ts'
import type { HeaderLookup, HeadersInput } from './request.ts'

/**
 * The value of a header by its lower-case name, `undefined` when absent. Repeated lines are joined with `, ` in order
 * (RFC 9110 §5.3).
 */
export type HeaderReader = (name: string) => string | undefined

/** Throws `headers_invalid` for what is no set of headers; a stranger's header values never do. */
export function headerReader(headers: HeadersInput): HeaderReader {
  if (typeof headers !== 'object' || headers === null) invalid()
  // An iterator comes before `get`: a Map has a `get` that minds the case.
  const iterable = Symbol.iterator in headers
  const lookup = headers as { get?: unknown }
  if (!iterable && typeof lookup.get === 'function') {
    return (name) => lines((headers as HeaderLookup).get(name))
  }
  const entries: readonly unknown[] = iterable ? [...headers] : Object.entries(headers)
  for (const entry of entries) {
    if (!Array.isArray(entry) || typeof entry[0] !== 'string') invalid()
  }
  return (name) => {
    let joined: string | undefined
    for (const entry of entries as readonly (readonly [string, unknown])[]) {
      if (entry[0].length === name.length && entry[0].toLowerCase() === name) {
        joined = append(joined, lines(entry[1]))
      }
    }
    return joined
  }
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
