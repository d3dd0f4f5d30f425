import { type NodeRequest, toWebhookRequest } from './node-request.ts'
import { type NodeResponse, send } from './node-response.ts'
import { type Receive, refusal } from './receive.ts'

export interface NodeContext<Req = NodeRequest, Res = NodeResponse> {
  readonly request: Req
  readonly response: Res
}

/** A handler of requests of Node, by itself or as Connect and what came after it call theirs. */
export type NodeHandler<Req, Res> = (
  request: Req,
  response: Res,
  next?: (error?: unknown) => void,
) => Promise<void>

/**
 * The way in and out of `hookproof/node`, and of the frameworks that hand over Node's own request
 * and response. What is thrown goes to `next`, if there is one. Else it is answered with 500 and
 * written to the console: the promise never rejects, because `createServer` would let that end the
 * process.
 */
export function createNodeHandler<Req extends NodeRequest, Res extends NodeResponse>(
  receive: Receive<NodeContext<Req, Res>>,
): NodeHandler<Req, Res> {
  return async (request, response, next) => {
    const { method, url } = request
    const open = () => toWebhookRequest(request)
    try {
      send(request, response, await receive({ method, url, open, context: { request, response } }))
    } catch (error) {
      if (typeof next === 'function') return next(error)
      failed(request, response, error)
    }
  }
}

/**
 * Answers with 500, or breaks off an answer that was begun, and writes the error to the console.
 * Throws it where no request of Node was passed, nor anything to answer with.
 */
export function failed(request: NodeRequest, response: NodeResponse, error: unknown): void {
  if (typeof response?.setHeader !== 'function') throw error
  report(error)
  send(request, response, refusal(500, 'internal'))
}

interface WithConsole {
  readonly console?: { readonly error?: (error: unknown) => void }
}

function report(error: unknown): void {
  ;(globalThis as WithConsole).console?.error?.(error)
}
