import { fail } from './errors.ts'
import { type Rejected, reject } from './verdict.ts'

/** Unix seconds. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now() / 1000

/**
 * The clock in whole seconds. Throws `now_invalid` for one that is broken or counts milliseconds.
 */
export function readClock(now: Clock): number {
  const seconds = now()
  // 1e11 s is the year 5138; in milliseconds it was 1973.
  if (!Number.isFinite(seconds) || seconds > 1e11) {
    fail('now_invalid', 'now() must return unix seconds, such as Date.now() / 1000')
  }
  return Math.floor(seconds)
}

/**
 * Accepts a timestamp that is at most the tolerance away from now, either way; the edge is inside.
 */
export function judgeFreshness(
  timestamp: number,
  now: number,
  toleranceSeconds: number,
): Rejected | undefined {
  const age = now - timestamp
  if (Math.abs(age) <= toleranceSeconds) return undefined
  return reject(
    'freshness',
    age > 0 ? 'timestamp_too_old' : 'timestamp_too_new',
    `signed ${Math.abs(age)} s ${age > 0 ? 'ago' : 'ahead of the clock here'}, expected at most ${toleranceSeconds} s`,
  )
}
