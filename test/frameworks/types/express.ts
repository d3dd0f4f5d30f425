import express, { type Request, type Response } from 'express'
import { verify } from 'hookproof'
import { type NodeRequest, toWebhookRequest, webhook } from 'hookproof/express'
import { stripe } from 'hookproof/schemes/stripe'

const secret = 'whsec_1'
const app = express()

// What is not annotated is the shape that every version of Express has.
app.post(
  '/webhook',
  webhook({ secret }, ({ event }, { request }) => {
    check<Equal<typeof request, NodeRequest>>()
    if (event.event_type === 'invoice.paid') check<Equal<typeof event.data.invoice_id, string>>()
  }),
)
app.use(
  '/hooks',
  webhook({ secret, onRejected: ({ reason }) => console.warn(reason) }, () => {}),
)
app.all(
  '/stripe/:tenant',
  webhook({ secret, scheme: stripe }, ({ event }) => check<Equal<typeof event.id, string>>()),
)

const annotated = webhook(
  { secret },
  (_, { request, response }: { request: Request; response: Response }) => {
    response.locals.tenant = request.params.tenant
  },
)
app.post('/hooks/:tenant', annotated)
const handler: express.RequestHandler = annotated
app.use(express.json(), handler)

app.put('/own', async (request, response, next) => {
  const verdict = await verify(toWebhookRequest(request), { secret })
  if (verdict.ok) check<Equal<typeof verdict.event.event_id, string>>()
  // @ts-expect-error TS2345: a response is no request
  toWebhookRequest(response)
  await annotated(request, response, next)
})

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
// @ts-expect-error TS2322: may be undefined
webhook({ secret: process.env.WEBHOOK_SECRET }, () => {})
