/**
 * Whether a value is a promise where none can be waited for. Its outcome is discarded: a rejection
 * that nobody handles ends the process.
 */
export function discardPromise(value: unknown): boolean {
  const promise = value as { then?: unknown } | null | undefined
  if (typeof promise?.then !== 'function') return false
  promise.then(undefined, () => {})
  return true
}
