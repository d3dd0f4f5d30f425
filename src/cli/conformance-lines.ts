const LF = 0x0a

/** Bytes as they come, as whole lines. */
export interface Lines {
  push(chunk: Buffer): void
  /** The next whole line, without its end. */
  take(): string | undefined
  /** How many whole lines wait. */
  waiting(): number
  /** How many bytes of a line came without its end. */
  rest(): number
  /** Whether a line is longer than the limit; nothing behind it is kept. */
  isTooLong(): boolean
}

export function splitLines(maxBytes: number): Lines {
  const lines: string[] = []
  let pieces: Buffer[] = []
  let length = 0
  return {
    push(chunk) {
      let from = 0
      while (length <= maxBytes) {
        const end = chunk.indexOf(LF, from)
        const piece = chunk.subarray(from, end < 0 ? undefined : end)
        length += piece.length
        pieces.push(piece)
        if (end < 0 || length > maxBytes) break
        lines.push(Buffer.concat(pieces).toString().replace(/\r$/u, ''))
        pieces = []
        length = 0
        from = end + 1
      }
      if (length > maxBytes) pieces = []
    },
    take: () => lines.shift(),
    waiting: () => lines.length,
    rest: () => length,
    isTooLong: () => length > maxBytes,
  }
}
