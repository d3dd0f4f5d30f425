/** Writes one line, or bytes as they are, to standard output. */
export function print(output: string | Uint8Array): void {
  process.stdout.write(typeof output === 'string' ? `${output}\n` : output)
}

/** A remark for people, beside the output. */
export function note(text: string): void {
  process.stderr.write(`hookproof: ${text}\n`)
}

/** A reader that stops early, such as `head`, is no error; a full disk is one. */
export function guardStreams(): void {
  process.stderr.on('error', () => {})
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return
    note(`the output could not be written (${code})`)
    process.exit(2)
  })
}

const PLAIN = /^[\w.:/@+-]{1,120}$/u
const MAX_SHOWN = 120
/**
 * Controls, format characters such as bidi overrides, separators, halves of pairs, private and
 * unassigned ones.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * A text of somebody else's, harmless for a terminal: as it is when plain, otherwise cut, quoted
 * and escaped.
 */
export function shown(text: string): string {
  if (PLAIN.test(text)) return text
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return `"${escapeUnprintable(cut.replace(/["\\]/gu, '\\$&'))}"`
}

/**
 * JSON text on one line and harmless for a terminal. In JSON, an unprintable character stands
 * inside a string, where an escape means the same, unless it is a line break or tab between two
 * tokens.
 */
export function jsonLine(json: string): string {
  return escapeUnprintable(json.replace(/[\t\n\r]/gu, ' '))
}

function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${hex4(unit.charCodeAt(0))}`)
      .join(''),
  )
}

function hex4(code: number): string {
  return code.toString(16).padStart(4, '0')
}
