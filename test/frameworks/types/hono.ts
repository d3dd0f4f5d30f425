import { type Context, type Handler, Hono } from 'hono'
import { verify } from 'hookproof'
import { type HonoContext, toWebhookRequest, webhook } from 'hookproof/hono'

const secret = 'whsec_1'
type Env = { Bindings: { KEY: string }; Variables: { tenant: string } }
const app = new Hono<Env>()

// The overloads of app.post() hide the context; annotated, it is the application's own.
app.post(
  '/webhook',
  webhook({ secret }, ({ event }, context) => {
    check<Equal<typeof event.event_id, string>>()
    check<Equal<typeof context, HonoContext>>()
  }),
)
app.all(
  '/annotated',
  webhook(
    { secret, onRejected: ({ reason }, c: Context<Env>) => c.set('tenant', reason) },
    ({ event }, c: Context<Env>) => {
      check<Equal<typeof event.event_id, string>>()
      return c.env.KEY
    },
  ),
)
export const receive: Handler<Env> = webhook({ secret }, (_, c) =>
  check<Equal<typeof c.var.tenant, string>>(),
)
app.post('/own', async (c) => {
  const verdict = await verify(toWebhookRequest(c), { secret })
  // @ts-expect-error TS2345: the request is no context
  toWebhookRequest(c.req.raw)
  return verdict.ok ? c.body(null, 204) : c.text(verdict.reason, verdict.status)
})

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
