// What the schemes without an envelope of their own report.

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u

/** A time as unix seconds or as RFC 3339 text, in decimal; undefined for anything else. */
export function moment(value) {
  const isText = typeof value === 'string' && RFC3339.test(value)
  const seconds = isText ? Math.floor(Date.parse(value) / 1000) : value
  return Number.isSafeInteger(seconds) && seconds >= 0 ? String(seconds) : undefined
}

/** An event without the members that are undefined. */
export function facts(event) {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined))
}
