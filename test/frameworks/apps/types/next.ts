import { verify } from 'hookproof'
import { type NodeContext, type NodeRequest, toWebhookRequest, webhook } from 'hookproof/next'
import { stripe } from 'hookproof/schemes/stripe'
import type { NextApiHandler, NextApiRequest, NextApiResponse } from 'next'

const secret = 'whsec_1'

// What is not annotated is the shape of Node's own request.
export default webhook({ secret }, ({ event }, { request }) => {
  check<Equal<typeof request, NodeRequest>>()
  if (event.event_type === 'invoice.paid') check<Equal<typeof event.data.invoice_id, string>>()
})

// Next's own types, from where it is used or by annotation.
export const inferred: NextApiHandler = webhook({ secret }, (_, { request, response }) => {
  check<Equal<typeof request, NextApiRequest>>()
  response.revalidate(`/invoices/${request.query.id}`)
})
export const annotated: NextApiHandler = webhook(
  { secret, scheme: stripe, onRejected: ({ reason }) => console.warn(reason) },
  ({ event }, { request }: NodeContext<NextApiRequest, NextApiResponse>) => {
    check<Equal<typeof event.id, string>>()
    console.log(event.id, request.query.tenant)
  },
)

export const own: NextApiHandler = async (request, response) => {
  const verdict = await verify(toWebhookRequest(request), { secret })
  if (verdict.ok) check<Equal<typeof verdict.event.event_id, string>>()
  // @ts-expect-error TS2345: a response is no request
  toWebhookRequest(response)
}

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
// @ts-expect-error TS2322: may be undefined
webhook({ secret: process.env.WEBHOOK_SECRET }, () => {})
