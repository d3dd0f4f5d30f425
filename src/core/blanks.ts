/** SP or HTAB, the optional white space of HTTP headers (RFC 9110 §5.6.3). */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/**
 * Text without blanks at its ends. A loop, because a pattern that trims is quadratic in text a
 * stranger may send.
 */
export function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
