// A receiver in a process of its own, whose tables are folders: a file is made once (O_EXCL), and
// survives the process. `node receiver.js FOLDER FAULT [PORT]`
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { webhook } from '../../../dist/adapters/node.js'

const [folder, fault, port = '0'] = process.argv.slice(2)
const at = (...path) => join(folder, ...path)
for (const table of ['deliveries', 'done', 'booked']) mkdirSync(at(table), { recursive: true })

/** Whether this call made it. */
function insert(table, key, value = '') {
  try {
    writeFileSync(at(table, key), value, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

let copies = 0
function book(id, { type, invoice }) {
  if (type === 'invoice.paid') {
    insert('booked', fault === 'no-guard' ? `${invoice}.${process.pid}.${copies++}` : invoice)
  }
  insert('done', id)
}

function work() {
  for (const id of readdirSync(at('deliveries'))) {
    const [type, invoice] = id.split('~').slice(1)
    if (!readdirSync(at('done')).includes(id)) book(id, { type, invoice })
  }
}

// What a process before this one left, if rows stand for work that is due.
if (fault !== 'lease') work()

/** Where work begins, in a test that holds it. */
async function pass() {
  while (existsSync(at('hold'))) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Works before the answer; takes the id back if the work throws, which a kill is not. */
async function lease(key, row) {
  if (!insert('deliveries', key)) return
  await pass()
  book(key, row)
}

/** Works before the answer; a copy that meets the running first run is acknowledged. */
async function acknowledgeInFlight(key, row) {
  if (known.has(key)) return
  known.add(key)
  await pass()
  book(key, row)
  known.delete(key)
}

const known = new Set()
const receive = webhook({ secret: 'whsec_test_for_the_self_test' }, ({ event, delivery }) => {
  const key = [delivery.id, delivery.type, event.data.invoice_id].join('~')
  const row = { type: delivery.type, invoice: event.data.invoice_id }
  if (fault === 'no-row') {
    if (!known.has(key)) setTimeout(() => book(key, row), 15)
    known.add(key)
  } else if (fault === 'lease') return lease(key, row)
  else if (fault === 'in-flight') return acknowledgeInFlight(key, row)
  else if (insert('deliveries', key)) {
    setImmediate(() => pass().then(() => book(key, row)))
  }
})

const server = createServer(receive)
server.listen(Number(port), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`)
})
