// Compiled wherever `Request` is declared: DOM, workers, Node.
import type { HeadersInput, RawBody, WebhookInput } from 'hookproof'
import { verify } from 'hookproof'
import { verifySync } from 'hookproof/sync'

const request = new Request('https://example.com/hooks', { method: 'POST' })
const options = { secret: 'whsec_1' }
check<Equal<IsAny<typeof request>, false>>()

export const input: WebhookInput = request
export const headers: readonly HeadersInput[] = [request.headers, new Headers()]
export const bodies: readonly (RawBody | null)[] = [
  request.body,
  new Blob([]).stream(),
  new Response('').body,
]

export async function POST(request: Request): Promise<Response> {
  const verdict = await verify(request, options)
  if (!verdict.ok) return new Response(verdict.reason, { status: verdict.status })
  return new Response(verdict.event.event_type)
}

export async function parts({ headers, body }: Request): Promise<void> {
  await verify({ headers, body }, options)
  await verify({ headers, body: await request.arrayBuffer() }, options)
  await verify({ headers, body: await request.text() }, options)
  // @ts-expect-error TS2322: the text that was not awaited
  await verify({ headers, body: request.text() }, options)
  // @ts-expect-error TS2322: a parsed form
  await verify({ headers, body: await request.formData() }, options)
  // @ts-expect-error TS2345: a web request's body is a stream
  verifySync(request, options)
}
