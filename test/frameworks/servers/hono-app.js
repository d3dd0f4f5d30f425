import { Hono } from 'hono'
import { webhook } from 'hookproof/hono'
import { createReceiver } from '../../adapters/receiver.js'

/** The receiver of the contract in Hono, for any runtime. */
export function honoApp() {
  const { options, handler, control, failed } = createReceiver()
  const receive = webhook(options, handler)
  const readBy = (read) => async (context, next) => {
    await read(context.req)
    await next()
  }
  const app = new Hono()
  // Where Hono's own error handler tells the owner.
  console.error = failed
  app.get('/-/:name', (context) => context.body(control(context.req.url)))
  app.all('/large', webhook({ ...options, maxBodyBytes: undefined }, handler))
  for (const reader of ['json', 'text', 'arrayBuffer']) {
    app.all(
      `/kept/${reader}`,
      readBy((request) => request[reader]()),
      receive,
    )
  }
  app.all(
    '/parsed',
    readBy((request) => request.blob()),
    receive,
  )
  app.all(
    '/read',
    readBy((request) => request.raw.text()),
    receive,
  )
  app.all('*', receive)
  return app
}
