import { Elysia } from 'elysia'
import { webhook } from 'hookproof/elysia'
import { createReceiver } from '../../adapters/receiver.js'

/** The receiver of the contract in Elysia. */
export function elysiaApp() {
  const { options, handler, control, failed } = createReceiver()
  const receive = webhook(options, handler)
  return new Elysia()
    .onError(({ error }) => {
      failed(error)
      // With Elysia's own status, and without the message that it would show.
      return ''
    })
    .get('/-/:name', ({ request }) => control(request.url))
    .all('/large', webhook({ ...options, maxBodyBytes: undefined }, handler), { parse: 'none' })
    .all('/kept/buffer', receive, { parse: 'arrayBuffer' })
    .all('/kept/text', receive, { parse: 'text' })
    .all('/parsed', receive)
    .all(
      '/read',
      async (context) => {
        await context.request.text()
        return receive(context)
      },
      { parse: 'none' },
    )
    .all('/', receive, { parse: 'none' })
    .all('/*', receive, { parse: 'none' })
}
