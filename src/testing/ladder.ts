const MINUTE = 60_000

/**
 * Milliseconds between attempts, each counted from the failure of the one before: 11 attempts in
 * 16 h 03 min, as Paymos publishes them.
 */
export const LADDER: readonly number[] = [1, 2, 4, 8, 16, 32, 60, 120, 240, 480].map(
  (minutes) => minutes * MINUTE,
)

/** `16 h 03 min`. */
export function duration(ms: number): string {
  const minutes = Math.round(ms / MINUTE)
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** `00:01:10`. */
export function timeOfDay(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}
