import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2ServerRequest,
} from 'node:http2'
import { verify } from 'hookproof'
import { type NodeRequest, toWebhookRequest, webhook } from 'hookproof/node'

const secret = 'whsec_1'

export const servers = [
  createServer(
    // Its overloads hide the types; see below for a handler that wants more than the shape.
    webhook({ secret }, (_, { request, response }) => {
      check<Equal<typeof request, NodeRequest>>()
      response.setHeader('X-Received', '1')
    }),
  ),
  createHttp2Server(
    webhook({ secret }, (_, { request }) => check<Equal<typeof request, Http2ServerRequest>>()),
  ),
  createSecureServer(
    {},
    webhook({ secret }, () => {}),
  ),
]

export const listener: RequestListener = webhook({ secret }, (_, { request, response }) => {
  check<Equal<typeof request, IncomingMessage>>()
  response.writeHead(202).end()
})
const receive = webhook({ secret }, (_, { request }: { request: IncomingMessage }) => request.url)
export async function within(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await receive(request, response)
  await receive(request, response, (error) => response.destroy(error as Error))
  await verify(toWebhookRequest(request), { secret })
  // @ts-expect-error TS2345: a response is no request
  toWebhookRequest(response)
}

export async function http2(request: Http2ServerRequest): Promise<void> {
  await verify(toWebhookRequest(request), { secret })
}
