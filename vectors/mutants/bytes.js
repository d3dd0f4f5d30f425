const isSpace = (byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)

export function trimBytes(bytes) {
  let start = 0
  let end = bytes.length
  while (start < end && isSpace(bytes[start])) start += 1
  while (end > start && isSpace(bytes[end - 1])) end -= 1
  return bytes.subarray(start, end)
}

export function withoutPrefix(bytes, prefix) {
  const begins = Buffer.from(bytes.subarray(0, prefix.length)).equals(prefix)
  return begins ? bytes.subarray(prefix.length) : bytes
}

export function untilNul(bytes) {
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}
