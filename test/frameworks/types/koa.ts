import { verify } from 'hookproof'
import { type KoaContext, toWebhookRequest, webhook } from 'hookproof/koa'
import Koa, { type Context, type DefaultState, type Middleware } from 'koa'

const secret = 'whsec_1'
const app = new Koa<DefaultState, { tenant: string }>()

// Its type parameters hide the context; annotated, it is the application's own.
app.use(webhook({ secret }, (_, context) => check<Equal<typeof context, KoaContext>>()))
app.use(
  webhook({ secret }, ({ event }, context: Context & { tenant: string }) => {
    check<Equal<typeof context.tenant, string>>()
    context.state.id = event.event_id
  }),
)
const middleware: Middleware = webhook({ secret }, () => {})
app.use(middleware)
app.use(async (context) => {
  const verdict = await verify(toWebhookRequest(context), { secret })
  context.status = verdict.ok ? 204 : verdict.status
  // @ts-expect-error TS2345: Node's request is no context
  toWebhookRequest(context.req)
})

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
