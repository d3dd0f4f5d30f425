// Declared here, because the sources are compiled without the DOM and Node libraries; every runtime
// brings both.
declare const TextEncoder: new () => { encode(text: string): Uint8Array }
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string }

let encoder: InstanceType<typeof TextEncoder> | undefined
let decoder: InstanceType<typeof TextDecoder> | undefined

/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD, as everywhere on the web. */
export function utf8(text: string): Uint8Array {
  encoder ??= new TextEncoder()
  return encoder.encode(text)
}

/** The text of UTF-8 bytes, a byte order mark included; `undefined` when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

export function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length)
  all.set(a)
  all.set(b, a.length)
  return all
}

let hexDigits: Int8Array | undefined

/**
 * The bytes of an even number of hex digits in either case, from one index up to another;
 * `undefined` for other text.
 */
export function decodeHex(text: string, from: number, to: number): Uint8Array | undefined {
  hexDigits ??= hexTable()
  const bytes = new Uint8Array((to - from) / 2)
  let wrong = 0
  // Without a branch on the digits, and negative as soon as one is wrong or lies outside the table.
  for (let i = 0; i < bytes.length; i++) {
    const high = text.charCodeAt(from + 2 * i)
    const low = text.charCodeAt(from + 2 * i + 1)
    const byte = ((hexDigits[high & 0xff] as number) << 4) | (hexDigits[low & 0xff] as number)
    wrong |= byte | (0xff - (high | low))
    bytes[i] = byte
  }
  return wrong < 0 ? undefined : bytes
}

/** The value of each hex digit by its character code, -1 for the other characters. */
function hexTable(): Int8Array {
  const table = new Int8Array(256).fill(-1)
  for (let value = 0; value < 16; value++) {
    const digit = value.toString(16)
    table[digit.charCodeAt(0)] = value
    table[digit.toUpperCase().charCodeAt(0)] = value
  }
  return table
}

export function encodeHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text
}

/** Compares in a time that depends on the lengths alone, never on where two arrays differ. */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] as number)
  return difference === 0
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Base64 with padding (RFC 4648 §4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  // Two bytes more, so that no bits are left over; what they add becomes the padding.
  for (const digit of regroup([...bytes, 0, 0], 8, 6)) text += BASE64.charAt(digit)
  return text.slice(0, Math.ceil((bytes.length * 4) / 3)).padEnd(text.length & ~3, '=')
}

/** The bytes of base64 in its one canonical form; `undefined` for anything else. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const [digits = ''] = text.split('=', 1)
  const values = [...digits].map((digit) => BASE64.indexOf(digit))
  const bytes = Uint8Array.from(regroup(values, 6, 8))
  // Wrong digits, wrong padding and bits left over all show in the way back.
  return encodeBase64(bytes) === text ? bytes : undefined
}

/**
 * Reads a run of bits in groups of one size as groups of another; what does not fill the last one
 * is left out.
 */
function regroup(groups: readonly number[], from: number, to: number): number[] {
  const regrouped: number[] = []
  let bits = 0
  let pending = 0
  for (const group of groups) {
    bits = (bits << from) | group
    for (pending += from; pending >= to; pending -= to) {
      regrouped.push((bits >> (pending - to)) & (2 ** to - 1))
    }
  }
  return regrouped
}
