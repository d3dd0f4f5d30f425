// Runs the program of a page in a process of its own, and tells what it exports. With `drive` it sends the
// inbox, or the store, that it exports a payment twice, and another delivery about the same one.
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { createSigner, verify } from '../../dist/index.js'

const [, , file, drive] = process.argv
const secret = process.env.WEBHOOK_SECRET
const { server, inbox, store, POST, ...told } = await import(pathToFileURL(file).href)
if (server) {
  if (!server.listening) await once(server, 'listening')
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
} else if (POST) {
  const receive = (delivery) =>
    POST(new Request('http://localhost', { method: 'POST', ...delivery }))
  console.log(JSON.stringify(await sent(receive)))
} else if (drive) {
  console.log(JSON.stringify(await driven(inbox ?? (await inboxOf(store)))))
} else {
  console.log(JSON.stringify(told))
}
// A pool of connections would keep the process for as long as they may be idle.
if (!server) process.exit()

async function inboxOf(store) {
  const { createInbox } = await import('../../dist/inbox/index.js')
  const apply = async (tx, { data }, context) => {
    if (!(await context.once('fulfil'))) return
    await tx.query('insert into shipment (invoice) values ($1)', [data.invoice_id])
  }
  return createInbox({ store, handlers: { 'invoice.paid': { apply } } })
}

async function driven(inbox) {
  const receive = async (delivery) => {
    const verdict = await verify(delivery, { secret })
    return inbox.receive(verdict)
  }
  const statuses = await sent(receive)
  return { statuses, drained: await inbox.drain() }
}

/** The statuses of a payment that is sent twice, and of another delivery about it. */
async function sent(receive) {
  const statuses = []
  for (const id of ['evt_driven_1', 'evt_driven_1', 'evt_driven_2']) {
    const event = { event_id: id, event_type: 'invoice.paid', version: 1, occurred_at: 1 }
    const body = JSON.stringify({ ...event, data: { invoice_id: 'inv_driven' } })
    const headers = await createSigner({ secret }).sign({ body })
    statuses.push((await receive({ headers, body })).status)
  }
  return statuses
}
