import type { HeaderLookup } from '../core/request.ts'
import { sleep } from './timers.ts'
import { pieces, type Transfer, type Wire } from './wire.ts'

/** Your own `Request`, whatever library or runtime declares it. */
export type WebRequest = typeof globalThis extends {
  readonly Request: { readonly prototype: infer R }
}
  ? R
  : WebRequestShape

export interface WebRequestShape {
  readonly method: string
  readonly url: string
  readonly headers: HeaderLookup
}

/** A receiver in this process: what `webhook()` of hookproof/fetch, a Hono or a Next route is. */
export type Handler = (
  request: WebRequest,
) => { readonly status: number } | Promise<{ readonly status: number }>

interface Controller {
  enqueue(chunk: Uint8Array): void
  close(): void
  error(reason: Error): void
}
declare const Request: new (url: string, init: object) => WebRequest
declare const ReadableStream: new (source: {
  readonly pull: (controller: Controller) => Promise<void> | void
}) => unknown

/** Every request goes to this address, which nothing listens on. */
const URL_IN_PROCESS = 'http://127.0.0.1/webhooks'

export function inProcess(handler: Handler): Wire {
  return async (transfer) => {
    const { headers } = transfer
    const init = { method: 'POST', headers, body: bodyOf(transfer), duplex: 'half' }
    try {
      const { status } = await handler(new Request(URL_IN_PROCESS, init))
      return { kind: 'status', status }
    } catch {
      // What a server makes of a handler that throws.
      return { kind: 'status', status: 500 }
    }
  }
}

function bodyOf({ body, fault }: Transfer): unknown {
  if (fault === undefined) return body
  const left = [...pieces(body)]
  const end = left.length / 2
  return new ReadableStream({
    async pull(controller) {
      if (fault === 'cut' && left.length <= end) {
        controller.error(new Error('the sender has closed the connection'))
        return
      }
      const piece = left.shift()
      if (piece === undefined) return controller.close()
      await sleep(2)
      controller.enqueue(piece)
    },
  })
}
