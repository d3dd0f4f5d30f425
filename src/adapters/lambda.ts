import { fail } from '../core/errors.ts'
import type { SyncWebhookInput } from '../core/request.ts'
import { engine } from '../engines/native.ts'
import type { PaymosEvent } from '../events/paymos.ts'
import { decodeBase64Body } from './base64-body.ts'
import { withRawBodyAdvice } from './raw-body-advice.ts'
import { createReceiver, type EventHandler, type HandlerOptions } from './receive.ts'

export type { EventHandler, HandlerOptions, ReceiveSignal } from './receive.ts'

// Not declared without the DOM library.
declare const URLSearchParams: new (pairs: readonly (readonly [string, string])[]) => object

/**
 * The event of an HTTP request, by shape: API Gateway's (REST and HTTP APIs), a load balancer's
 * with or without multi-value headers, a function URL's.
 */
export interface LambdaRequest {
  readonly headers?: { readonly [name: string]: string | undefined } | null | undefined
  readonly multiValueHeaders?:
    | { readonly [name: string]: readonly string[] | undefined }
    | null
    | undefined
  readonly body?: string | null | undefined
  readonly isBase64Encoded?: boolean | undefined
  readonly httpMethod?: string | undefined
  readonly requestContext?: unknown
}

/** What each of them takes as an answer. */
export interface LambdaResponse {
  statusCode: number
  statusDescription?: string
  headers?: { [name: string]: string }
  multiValueHeaders?: { [name: string]: string[] }
  body: string
  isBase64Encoded: boolean
}

/** What Lambda passed: the event that is the request, and its context. */
export interface LambdaContext<R = LambdaRequest, X = unknown> {
  readonly request: R
  readonly context: X
}

const ADVICE =
  'In Lambda, take the middleware that parses event.body off this function; an authorizer has no ' +
  'body, so verify in the function behind it'

/**
 * The handler of a function behind API Gateway, a load balancer or a function URL, with the HMAC of
 * `node:crypto`. What `handler` or `onRejected` throws fails the invocation, which is answered with
 * 500 or 502. Throws `WebhookConfigError` here, at start-up, for whatever is wrong with the options.
 *
 * @example
 * ```ts
 * import { webhook } from 'hookproof/lambda'
 *
 * export const handler = webhook(
 *   { secret: process.env.WEBHOOK_SECRET ?? '' },
 *   async ({ event }) => console.log(event.event_type),
 * )
 * ```
 */
export function webhook<
  W = PaymosEvent,
  E = W,
  R extends LambdaRequest = LambdaRequest,
  X = unknown,
>(
  options: HandlerOptions<W, E, LambdaContext<R, X>>,
  handler?: EventHandler<E, LambdaContext<R, X>>,
): (event: R, context: X) => Promise<LambdaResponse> {
  const receive = withRawBodyAdvice(createReceiver(options, handler, engine), ADVICE)
  return async (event, context) => {
    const known: Known = Object(event)
    const { requestContext, httpMethod, rawQueryString } = known
    const method = httpMethod ?? requestContext?.http?.method
    if (method === undefined) {
      fail('headers_invalid', 'no event of API Gateway, a load balancer or a function URL')
    }
    const { status, ...answer } = await receive({
      method,
      url: `?${rawQueryString ?? queryOf(known)}`,
      open: () => toWebhookRequest(event),
      context: { request: event, context },
    })
    const response = { statusCode: status, body: answer.body, isBase64Encoded: false }
    const headers = Object.entries(answer.headers)
    if (!requestContext?.elb) return { ...response, headers: Object.fromEntries(headers) }
    // A load balancer takes headers in the form in which it gives them.
    const lists = headers.map(([name, value]) => [name, [value]])
    return {
      ...response,
      statusDescription: `${status} ${status < 300 ? 'OK' : 'Refused'}`,
      ...(known.headers
        ? { headers: Object.fromEntries(headers) }
        : { multiValueHeaders: Object.fromEntries(lists) }),
    }
  }
}

/** What the events have besides, depending on where they come from. */
interface Known extends LambdaRequest {
  /** Version 2 of the payload; version 1 and a load balancer have `httpMethod` at the top. */
  readonly requestContext?: { readonly http?: { readonly method?: string }; readonly elb?: object }
  readonly rawQueryString?: string
  readonly queryStringParameters?: { readonly [name: string]: string } | null
  readonly multiValueQueryStringParameters?: { readonly [name: string]: readonly string[] } | null
}

/** The query where an event has it in parts: a load balancer leaves them as they came. */
function queryOf(event: Known): string {
  const parts = { ...event.queryStringParameters, ...event.multiValueQueryStringParameters }
  const pairs = Object.entries(parts).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  )
  return event.requestContext?.elb
    ? pairs.map((pair) => pair.join('=')).join('&')
    : String(new URLSearchParams(pairs))
}

/** What `verify` and `verifySync` take of an event: every header line, and the bytes of the body. */
export function toWebhookRequest(event: LambdaRequest): SyncWebhookInput {
  const { headers, multiValueHeaders } = event
  return { headers: { ...headers, ...multiValueHeaders }, body: bodyOf(event) }
}

function bodyOf(event: LambdaRequest & { readonly type?: unknown }): string | Uint8Array {
  const { body, isBase64Encoded, type } = event
  // An authorizer is told of a request without its body, which is no request with an empty one.
  if (type === 'REQUEST') fail('body_not_raw', 'the event of an authorizer has no body')
  if (isBase64Encoded !== true || typeof body !== 'string') return body as string
  return (
    decodeBase64Body(body) ??
    fail('body_not_raw', 'isBase64Encoded is true, but the body is no base64')
  )
}
