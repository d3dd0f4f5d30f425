import {
  type HttpFunction,
  http,
  type Request,
  type Response,
} from '@google-cloud/functions-framework'
import type * as express from 'express'
import { verify } from 'hookproof'
import { toWebhookRequest, webhook } from 'hookproof/gcp'

const secret = 'whsec_1'

http(
  'webhook',
  webhook({ secret }, ({ event }) => check<Equal<typeof event.event_id, string>>()),
)
http(
  'annotated',
  webhook(
    { secret },
    (_, { request }: { request: Request; response: Response }) => request.executionId,
  ),
)
http('own', async (request, response) => {
  const verdict = await verify(toWebhookRequest(request), { secret })
  response.status(verdict.ok ? 204 : verdict.status).end()
})
export const receive: HttpFunction = webhook({ secret }, () => {})

/** As Firebase declares it. */
declare function onRequest(
  handler: (
    request: express.Request & { rawBody: Buffer },
    response: express.Response,
  ) => void | Promise<void>,
): unknown
onRequest(webhook({ secret }, () => {}))

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
