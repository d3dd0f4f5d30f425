const MINUTE = 60_000

/**
 * Milliseconds between attempts, each counted from the failure of the one before: 11 attempts in
 * 16 h 03 min, as Paymos publishes them.
 */
export const LADDER: readonly number[] = [
  60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000, 3_600_000, 7_200_000, 14_400_000,
  28_800_000,
]

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
