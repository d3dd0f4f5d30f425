// A receiver on loopback and a provider that sends it seven deliveries, one good and each of the others wrong in its
// own way. Run it with `npm run demo`.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createSigner, verify } from 'hookproof'

const secret = 'whsec_demo_only_b6Vn2Kx8'
const nextSecret = 'whsec_demo_only_q9Lr4Zt1'

// The receiver: the whole of it.
const options = { secret }
const server = createServer(async (request, response) => {
  const verdict = await verify({ headers: request.headers, body: request }, options)
  response.statusCode = verdict.ok ? 204 : verdict.status
  response.end()
  console.log(
    verdict.ok
      ? `  ${response.statusCode} accepted: ${verdict.event.event_type} ${verdict.delivery.id}, signature ${verdict.matched.signature + 1} fits`
      : `  ${response.statusCode} refused: ${verdict.reason} (${verdict.detail})`,
  )
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
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
}

await send('A good delivery', await sign({ body }))
await send(
  'While the secret is being changed: two signatures, ours is the second',
  await createSigner({ secret: [nextSecret, secret] }).sign({ body }),
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
