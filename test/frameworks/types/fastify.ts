import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { verify } from 'hookproof'
import { type FastifyContext, toWebhookRequest, webhook } from 'hookproof/fastify'

const secret = 'whsec_1'
const app = Fastify()

app.post(
  '/webhook',
  webhook({ secret }, ({ event }, context) => {
    check<Equal<typeof event.event_id, string>>()
    check<Equal<typeof context, FastifyContext>>()
  }),
)
// Annotated, the context is Fastify's own.
app.all(
  '/annotated',
  webhook({ secret }, ({ event }, { request }: FastifyContext<FastifyRequest, FastifyReply>) => {
    request.log.info(event.event_type)
  }),
)
app.route({ method: 'POST', url: '/route', bodyLimit: 1, ...webhook({ secret }, () => {}) })
app.post('/own', async (request, reply) => {
  const verdict = await verify(toWebhookRequest(request), { secret })
  return reply.code(verdict.ok ? 204 : verdict.status).send()
})
Fastify({ http2: true }).post(
  '/webhook',
  webhook({ secret }, () => {}),
)

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
