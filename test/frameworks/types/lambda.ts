import type {
  ALBHandler,
  APIGatewayProxyEventV2,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  Context,
  LambdaFunctionURLHandler,
} from 'aws-lambda'
import { verify } from 'hookproof'
import { toWebhookRequest, webhook } from 'hookproof/lambda'
import { verifySync } from 'hookproof/sync'

const secret = 'whsec_1'

export const rest: APIGatewayProxyHandler = webhook({ secret }, ({ event }, context) => {
  check<Equal<typeof event.event_id, string>>()
  check<Equal<typeof context.context, Context>>()
  return context.request.requestContext.apiId
})
export const http: APIGatewayProxyHandlerV2 = webhook({ secret }, (_, { request }) =>
  check<Equal<typeof request, APIGatewayProxyEventV2>>(),
)
export const url: LambdaFunctionURLHandler = webhook(
  { secret, onRejected: ({ reason }, { request }) => console.warn(reason, request.rawPath) },
  () => {},
)
export const balancer: ALBHandler = webhook({ secret }, (_, { request }) => request.httpMethod)
export const own: APIGatewayProxyHandlerV2 = async (event) => {
  const request = toWebhookRequest(event)
  const verdict = await verify(request, { secret })
  return { statusCode: verdictStatus(verdictOf(request)), body: String(verdict.ok) }
}
const verdictOf = (request: ReturnType<typeof toWebhookRequest>) => verifySync(request, { secret })
const verdictStatus = ({ status }: ReturnType<typeof verdictOf>) => status ?? 204

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
