const encoder = new TextEncoder()

/** Decodes a published bytes object, without Node's Buffer. */
export function bytesOf(object) {
  const parts = (object.parts ?? [object]).map(partBytes)
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  if (bytes.length !== object.length) throw new Error(`${bytes.length} bytes, not ${object.length}`)
  return bytes
}

function partBytes({ utf8, hex, times = 1 }) {
  const unit = hex === undefined ? encoder.encode(utf8) : fromHex(hex)
  const bytes = new Uint8Array(unit.length * times)
  for (let at = 0; at < bytes.length; at += unit.length) bytes.set(unit, at)
  return bytes
}

function fromHex(hex) {
  return Uint8Array.from(hex.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16))
}

export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** One character a byte, as header values travel. */
export function toLatin1(bytes) {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}
