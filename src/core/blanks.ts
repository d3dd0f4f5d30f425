// SP and HTAB, the optional white space of HTTP headers (RFC 9110 §5.6.3). Loops, because a pattern that trims is
// quadratic in text a stranger may send.

export function skipBlanks(text: string, from: number, to: number): number {
  while (from < to && isBlank(text.charCodeAt(from))) from++
  return from
}

export function skipBlanksBack(text: string, from: number, to: number): number {
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return to
}

export function trimBlanks(text: string): string {
  const start = skipBlanks(text, 0, text.length)
  return text.slice(start, skipBlanksBack(text, start, text.length))
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
