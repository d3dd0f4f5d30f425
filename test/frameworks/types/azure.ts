import { app, type HttpHandler, type HttpRequest, type InvocationContext } from '@azure/functions'
import { verify } from 'hookproof'
import { webhook } from 'hookproof/azure'

const secret = 'whsec_1'

app.http('webhook', {
  methods: ['POST'],
  handler: webhook({ secret }, ({ event }, { request, context }) => {
    check<Equal<typeof event.event_id, string>>()
    check<Equal<typeof request, HttpRequest>>()
    check<Equal<typeof context, InvocationContext>>()
  }),
})
app.post(
  'short',
  webhook({ secret }, ({ event }, { context }) => context.log(event.event_type)),
)
export const handler: HttpHandler = webhook({ secret }, () => {})
app.http('own', {
  handler: async (request) => {
    const verdict = await verify(request, { secret })
    return { status: verdict.ok ? 204 : verdict.status }
  },
})

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
