/** A number from 0 up to 1. */
export type Random = () => number

/** The same numbers for the same seed (Marsaglia, "Xorshift RNGs", 32 bits). */
export function seededRandom(seed: number): Random {
  // Zero would stay zero; neighbouring seeds are driven apart.
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** The items in another order. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = items.map((item) => ({ item, at: random() }))
  return order.sort((a, b) => a.at - b.at).map(({ item }) => item)
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** An identifier as the provider makes them: a prefix and 22 letters and digits. */
export function randomId(prefix: string, random: Random = Math.random): string {
  const letters = Array.from({ length: 22 }, () => BASE62[Math.floor(random() * 62)])
  return `${prefix}_${letters.join('')}`
}
