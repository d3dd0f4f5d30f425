import type { Reason } from './reasons.ts'
import { type Rejected, reject } from './verdict.ts'

/** What a field of an event envelope must be. */
export type FieldRule =
  | 'non-blank text'
  /** A whole number from 0, or from 1. */
  | 'integer from 0'
  | 'integer from 1'
  /** A JSON object, not an array. */
  | 'object'
  | 'array'

/** Judges an event's fields in the order of the rules; the first fault is the reason. */
export function judgeEnvelope(
  json: unknown,
  rules: readonly (readonly [field: string, rule: FieldRule])[],
): Rejected | undefined {
  if (!isObject(json)) return refuse('envelope_not_object', 'a JSON object')
  for (const [field, rule] of rules) {
    const value = json[field]
    if (value === undefined) return refuse('envelope_field_missing', field)
    if (!hasType(value, rule)) return refuse('envelope_field_type', `${field} as ${rule}`)
    if (!isPossible(value, rule)) return refuse('envelope_field_value', `${field} as ${rule}`)
  }
  return undefined
}

function refuse(reason: Reason, expected: string): Rejected {
  return reject('envelope', reason, `expected ${expected}`)
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Text with a character other than U+0009 to U+000D, U+0020 and U+00A0. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && /[^\t-\r \u00a0]/u.test(value)
}

function hasType(value: unknown, rule: FieldRule): boolean {
  if (rule === 'object') return isObject(value)
  if (rule === 'array') return Array.isArray(value)
  if (rule === 'non-blank text') return typeof value === 'string'
  // What JSON.parse cannot hold is Infinity: a number out of range, not a fraction.
  return typeof value === 'number' && (Number.isInteger(value) || !Number.isFinite(value))
}

function isPossible(value: unknown, rule: FieldRule): boolean {
  if (rule === 'object' || rule === 'array') return true
  if (rule === 'non-blank text') return isText(value)
  return Number.isSafeInteger(value) && (value as number) >= (rule === 'integer from 1' ? 1 : 0)
}

/** A time as unix seconds or as RFC 3339 text, in unix seconds; `undefined` for anything else. */
export function unixSeconds(value: unknown): number | undefined {
  const isDate =
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u.test(value)
  const seconds = isDate ? Math.floor(Date.parse(value) / 1000) : value
  return Number.isSafeInteger(seconds) && (seconds as number) >= 0 ? (seconds as number) : undefined
}
