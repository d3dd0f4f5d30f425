import { defineHandler, H3, type H3Event } from 'h3'
import {
  createApp,
  createRouter,
  defineEventHandler,
  eventHandler,
  type H3Event as H3Event1,
} from 'h3v1'
import { verify } from 'hookproof'
import { toWebhookRequest, webhook } from 'hookproof/h3'

const secret = 'whsec_1'
const app = new H3()

app.post(
  '/webhook',
  webhook({ secret }, ({ event }, { context }: H3Event) => {
    check<Equal<typeof event.event_id, string>>()
    check<Equal<typeof context.params, Record<string, string> | undefined>>()
  }),
)
app.post(
  '/bare',
  webhook({ secret }, () => {}),
)
app.post('/defined', defineHandler(webhook({ secret }, () => {})))
app.post('/own', async (event) => {
  const verdict = await verify(toWebhookRequest(event), { secret })
  event.res.status = verdict.ok ? 204 : verdict.status
})

// Version 1, as in Nuxt and Nitro 2.
createApp().use(defineEventHandler(webhook({ secret }, () => {})))
createRouter().post(
  '/webhook',
  eventHandler(
    webhook({ secret }, ({ event }, { node }: H3Event1) => {
      node.res.setHeader('X-Event', event.event_id)
    }),
  ),
)
defineEventHandler(async (event) => (await verify(toWebhookRequest(event), { secret })).ok)

// @ts-expect-error TS2561: no such option
webhook({ secret, toleranceSecond: 5 }, () => {})
