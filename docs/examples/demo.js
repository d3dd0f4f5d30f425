// A receiver on loopback and a provider that sends it eight deliveries: a payment that comes three times and is booked
// once, and five that are wrong, each in its own way. Run it with `npm run demo`.
import { createServer } from 'node:http'
import { createSigner } from 'hookproof'
import { createInbox, memoryStore } from 'hookproof/inbox'
import { webhook } from 'hookproof/node'

const secret = 'whsec_demo_only_b6Vn2Kx8'
const nextSecret = 'whsec_demo_only_q9Lr4Zt1'

// The receiver: the whole of it.
const inbox = createInbox({
  store: memoryStore(),
  handlers: {
    'invoice.paid': {
      async apply(_, event, { once }) {
        const isFirst = await once('fulfil')
        console.log(`  ${isFirst ? 'booked' : 'booked before'}: ${event.data.invoice_id}`)
      },
    },
  },
})
const receive = webhook({
  secret,
  inbox,
  onRejected: ({ status, reason, detail }) =>
    console.log(`  ${status} refused: ${reason} (${detail})`),
  onSignal({ outcome, status, delivery, matched }) {
    if (outcome === 'rejected') return
    const { id, type } = delivery
    console.log(`  ${status} ${outcome}: ${type} ${id}, signature ${matched.signature + 1} fits`)
  },
})
const server = createServer(receive)
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${server.address().port}/webhook`

// The provider.
const event = {
  event_id: 'evt_3kTq8WnZp5',
  event_type: 'invoice.paid',
  version: 1,
  occurred_at: Math.floor(Date.now() / 1000),
  data: { invoice_id: 'inv_7bXc2LmRd9', status: 'paid', order: { amount: '100.00' } },
}
const body = JSON.stringify(event, null, 1)
const { sign } = createSigner({ secret })

async function send(title, headers, sent = body) {
  console.log(title)
  await fetch(url, { method: 'POST', headers, body: sent })
  // A server calls inbox.start() instead, and the work goes on by itself.
  await inbox.drain()
}

await send('A good delivery', await sign({ body }))
await send('The same again: its answer was lost on the way', await sign({ body }))
const elsewhere = body.replace('evt_3kTq8WnZp5', 'evt_9mVd4RxTc1')
await send(
  'The same payment through a second endpoint, while the secret is being changed: two signatures, ours is the second',
  await createSigner({ secret: [nextSecret, secret] }).sign({ body: elsewhere }),
  elsewhere,
)
await send(
  'The amount was changed on the way',
  await sign({ body }),
  body.replace('100.00', '900.00'),
)
await send(
  'A captured delivery, sent again after an hour',
  await sign({ body, timestamp: Math.floor(Date.now() / 1000) - 3600 }),
)
await send(
  'Signed with the secret of another endpoint',
  await createSigner({ secret: nextSecret }).sign({ body }),
)
await send(
  'The body was parsed and written again before it was verified',
  await sign({ body }),
  JSON.stringify(JSON.parse(body)),
)
await send('No signature at all', {})

server.close()
