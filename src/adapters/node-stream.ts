/** A stream of `node:stream`, by the part that is called. */
export interface NodeStream {
  readonly destroyed: boolean
  readonly readableEnded: boolean
  readonly aborted?: boolean
  read(): Uint8Array | null
  on(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
}

const EVENTS = ['readable', 'end', 'error', 'close']

/**
 * The chunks of a stream, which is left as it is where reading stops: its own iterator would destroy it, and with it the
 * connection that has yet to carry the answer. Throws when the sender went away before the end.
 */
export async function* chunksOf(stream: NodeStream): AsyncGenerator<Uint8Array> {
  let wake = (): void => {}
  const listener = (): void => wake()
  for (const event of EVENTS) stream.on(event, listener)
  try {
    for (;;) {
      const chunk = stream.destroyed ? null : stream.read()
      if (chunk !== null) yield chunk
      // HTTP/2 ends a stream that was reset as if it were whole.
      else if (stream.readableEnded && !stream.aborted) return
      else if (stream.readableEnded || stream.destroyed) throw new Error('the sender went away')
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  } finally {
    for (const event of EVENTS) stream.off(event, listener)
  }
}
