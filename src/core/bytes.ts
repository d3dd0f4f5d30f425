// Declared here, because the sources are compiled without the DOM and Node libraries; every runtime brings both.
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

/** Bytes of pairs of hex digits in either case; `undefined` for anything else. */
export function decodeHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    const high = hexDigit(text.charCodeAt(2 * i))
    const low = hexDigit(text.charCodeAt(2 * i + 1))
    if ((high | low) < 0) return undefined
    bytes[i] = (high << 4) | low
  }
  return bytes
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

/** The value of a hex digit by its character code, -1 for every other character. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
