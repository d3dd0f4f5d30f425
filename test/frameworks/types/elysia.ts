import { type Context, Elysia } from 'elysia'
import { verify } from 'hookproof'
import { type ElysiaContext, toWebhookRequest, webhook } from 'hookproof/elysia'

const secret = 'whsec_1'

// The type of the route hides the context; annotated, it is Elysia's own.
new Elysia()
  .post(
    '/webhook',
    webhook({ secret }, ({ event }, context) => {
      check<Equal<typeof event.event_id, string>>()
      check<Equal<typeof context, ElysiaContext>>()
    }),
    { parse: 'none' },
  )
  .post(
    '/annotated',
    webhook({ secret }, ({ event }, { headers, set }: Context) => {
      set.headers['X-Event'] = headers['x-event'] ?? event.event_id
    }),
    { parse: 'none' },
  )
  .post('/own', async (context) => (await verify(toWebhookRequest(context), { secret })).ok, {
    parse: 'none',
  })

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
