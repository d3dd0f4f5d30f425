/** Somebody else's text on one line, without anything that a terminal obeys. */
export function oneLine(text: string, most = 200): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').slice(0, most)
}

/** A number with its noun. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
