// Hands paid invoices to RabbitMQ, and books each one once. Two programs:
//
//   node rabbitmq.js receive    takes the deliveries, and publishes what they say
//   node rabbitmq.js consume    books what was published
//
// npm install hookproof amqplib pg; the environment has WEBHOOK_SECRET, DATABASE_URL, AMQP_URL and PORT.
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import amqp from 'amqplib'
import { createInbox } from 'hookproof/inbox'
import { postgresStore } from 'hookproof/inbox/postgres'
import { webhook } from 'hookproof/node'
import pg from 'pg'

const QUEUE = 'invoices.paid'
const {
  AMQP_URL = 'amqp://localhost',
  DATABASE_URL,
  WEBHOOK_SECRET = '',
  PORT = '3000',
} = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL })
pool.on('error', (error) => console.error('database:', error.message))

async function receive() {
  const store = postgresStore(pool)
  await store.migrate()
  const publish = createPublisher()
  const inbox = createInbox({
    store,
    handlers: {
      'invoice.paid': {
        // Published before the row is settled: a crash in between publishes it again, under the same
        // messageId. While the broker is away, the rows wait, and the provider has its 202.
        prepare: (event, { delivery }) => publish(delivery, event),
        async apply() {},
      },
    },
    backoff: (attempt) => Math.min(60_000, 500 * 2 ** attempt),
    onSignal: (signal) => {
      if (signal.kind === 'process') console.log(signal.outcome, signal.delivery.id)
    },
  })
  inbox.start()
  const server = createServer(webhook({ secret: WEBHOOK_SECRET, inbox }))
  server.listen(PORT, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}`)
  })
}

/** Publishes on one channel; after the broker was away, on a new one. */
function createPublisher() {
  let opening
  const returned = new Set()
  const open = async () => {
    const connection = await amqp.connect(AMQP_URL)
    connection.on('error', (error) => console.error('broker:', error.message))
    connection.on('close', () => {
      opening = undefined
    })
    const channel = await connection.createConfirmChannel()
    // Told before the confirm: no queue took it.
    channel.on('return', ({ properties }) => returned.add(properties.messageId))
    await assertQueues(channel)
    return channel
  }
  return async ({ id, type }, event) => {
    opening ??= open().catch((error) => {
      opening = undefined
      throw error
    })
    const channel = await opening
    await new Promise((resolve, reject) => {
      const confirmed = (error) => {
        const fault = error ?? (returned.delete(id) && new Error(`no queue ${QUEUE}`))
        if (fault) reject(fault)
        else resolve()
      }
      channel.sendToQueue(
        QUEUE,
        Buffer.from(JSON.stringify(event)),
        { messageId: id, type, persistent: true, mandatory: true, contentType: 'application/json' },
        confirmed,
      )
    })
  }
}

/** A queue that survives the broker, and one for what failed ten times. */
async function assertQueues(channel) {
  const dead = `${QUEUE}.dead`
  await channel.assertQueue(dead, { arguments: { 'x-queue-type': 'quorum' } })
  await channel.assertQueue(QUEUE, {
    arguments: {
      'x-queue-type': 'quorum',
      'x-delivery-limit': 10,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': dead,
    },
  })
}

async function consume() {
  await pool.query('create table if not exists seen_message (message_id text primary key)')
  await pool.query('create table if not exists booking (invoice_id text primary key)')
  const connection = await amqp.connect(AMQP_URL)
  // Whatever was not acknowledged comes again, to the process that is started next.
  connection.on('error', (error) => console.error('broker:', error.message))
  connection.on('close', () => process.exit(1))
  const channel = await connection.createChannel()
  await assertQueues(channel)
  await channel.prefetch(10)
  await channel.consume(QUEUE, async (message) => {
    if (message === null) process.exit(1)
    try {
      const outcome = await book(message)
      console.log(outcome, message.properties.messageId)
      // Only what is committed is acknowledged.
      channel.ack(message)
    } catch (error) {
      console.error('not booked:', error.message)
      await pause(1_000)
      channel.nack(message)
    }
  })
  console.log('consuming')
}

/** The message's id, and the booking, in one transaction: together, or not at all. */
async function book({ properties, content }) {
  const client = await pool.connect()
  const insert = async (text, value) => (await client.query(text, [value])).rowCount === 1
  try {
    await client.query('begin')
    const isNew = await insert(
      'insert into seen_message values ($1) on conflict do nothing',
      properties.messageId,
    )
    const { data } = JSON.parse(content.toString())
    // Keyed by the invoice: another delivery about it has another id.
    const isFirst =
      isNew &&
      (await insert('insert into booking values ($1) on conflict do nothing', data.invoice_id))
    await client.query('commit')
    return isFirst ? 'booked' : 'known'
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

await { receive, consume }[process.argv[2] ?? 'receive']()
