import type { RawBody, WebhookInput } from '../core/request.ts'

/**
 * A request of `node:http` or `node:http2`, by shape; `body` and `rawBody` are what a parser before
 * may have left.
 */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly rawHeaders: readonly string[]
  readonly body?: unknown
  readonly rawBody?: unknown
}

/** What a parser has left, wherever a framework keeps it. */
export type ParsedBody = Pick<NodeRequest, 'body' | 'rawBody'>

/**
 * What `verify` takes of a request: every header line as it came, and the raw body that a parser
 * left, else the stream. An answer can still be sent when `verify` has stopped reading.
 */
export function toWebhookRequest(request: NodeRequest): WebhookInput {
  return withParsed(request, request)
}

/** The same where a framework keeps what was parsed somewhere else. */
export function withParsed(request: NodeRequest, parsed: ParsedBody): WebhookInput {
  const { rawHeaders, headers } = request
  const body = bodyOf(request, parsed)
  return { headers: rawHeaders?.length ? pairs(rawHeaders) : headers, body }
}

function pairs(flat: readonly string[]): [string, string][] {
  const list: [string, string][] = []
  for (let i = 1; i < flat.length; i += 2) list.push([flat[i - 1] as string, flat[i] as string])
  return list
}

/**
 * Raw bytes that a parser left come first; what holds none is passed on as well, for the core to
 * say so.
 */
function bodyOf(
  request: NodeRequest & { readonly readableDidRead?: boolean },
  parsed: ParsedBody,
): RawBody {
  // The stream before `body`, which some platforms parse when it is looked at, and some parsers set
  // without reading.
  const unread = request.readableDidRead === false
  const stream = unread ? chunksOf(request as unknown as NodeStream) : undefined
  // Text that somebody is still to collect is empty yet.
  return ((parsed.rawBody || stream) ?? parsed.body ?? request) as RawBody
}

/** A stream of `node:stream`, by the part that is called. */
interface NodeStream {
  readonly destroyed: boolean
  readonly readableEnded: boolean
  readonly aborted?: boolean
  read(): Uint8Array | null
  on(event: string, listener: (error?: unknown) => void): unknown
  off(event: string, listener: (error?: unknown) => void): unknown
}

const EVENTS = ['readable', 'end', 'error', 'close']

/**
 * The chunks of a stream, which is left as it is where reading stops: its own iterator would
 * destroy it, and with it the connection that has yet to carry the answer. Throws when the sender
 * went away before the end.
 */
async function* chunksOf(stream: NodeStream): AsyncGenerator<Uint8Array> {
  let wake = (): void => {}
  let failed = false
  // Of these events, `error` alone passes something.
  const listener = (error?: unknown): void => {
    failed ||= error !== undefined
    wake()
  }
  for (const event of EVENTS) stream.on(event, listener)
  try {
    for (;;) {
      const { readableEnded, destroyed } = stream
      const chunk = destroyed ? null : stream.read()
      if (chunk !== null) yield chunk
      // HTTP/2 ends a stream that was reset as if it were whole.
      else if (readableEnded && !stream.aborted) return
      else if (readableEnded || destroyed || failed) throw new Error('the sender went away')
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
