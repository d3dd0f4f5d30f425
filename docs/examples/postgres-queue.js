// An inbox in front of a queue that lives in the same PostgreSQL: the job is enqueued in the transaction
// that records the delivery. Both are there, or neither is.
//
//   node postgres-queue.js pg-boss
//   node postgres-queue.js graphile-worker
//
// npm install hookproof pg, and pg-boss or graphile-worker, which need Node 22; the environment has
// WEBHOOK_SECRET, DATABASE_URL and PORT.
import { createServer } from 'node:http'
import { createInbox } from 'hookproof/inbox'
import { postgresStore } from 'hookproof/inbox/postgres'
import { webhook } from 'hookproof/node'
import pg from 'pg'

const TASK = 'book-invoice'
const { DATABASE_URL, WEBHOOK_SECRET = '', PORT = '3000' } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL })
pool.on('error', (error) => console.error('database:', error.message))

/** Each starts its workers, and gives what puts a job into a transaction. */
const queues = {
  async 'pg-boss'() {
    const { PgBoss } = await import('pg-boss')
    const boss = new PgBoss(DATABASE_URL)
    boss.on('error', (error) => console.error('queue:', error.message))
    await boss.start()
    await boss.createQueue(TASK)
    await boss.work(TASK, async ([job]) => book(job.data))
    return async (tx, job) => {
      await boss.send(TASK, job, { db: { executeSql: (text, values) => tx.query(text, values) } })
    }
  },

  async 'graphile-worker'() {
    const { run } = await import('graphile-worker')
    await run({ pgPool: pool, taskList: { [TASK]: (job) => book(job) }, noHandleSignals: true })
    return async (tx, job) => {
      await tx.query('select graphile_worker.add_job($1, $2::json)', [TASK, JSON.stringify(job)])
    }
  },
}

/** Keyed by the invoice: a job may run again, and two deliveries may be about one payment. */
async function book({ delivery, invoice }) {
  const { rowCount } = await pool.query('insert into booking values ($1) on conflict do nothing', [
    invoice,
  ])
  console.log(rowCount === 1 ? 'booked' : 'known', delivery)
}

const store = postgresStore(pool)
await store.migrate()
await pool.query('create table if not exists booking (invoice_id text primary key)')
const enqueue = await queues[process.argv[2] ?? 'pg-boss']()
const inbox = createInbox({
  store,
  // Keep it to one insert: a duplicate waits for this transaction.
  async onRecord(tx, { id, type, resource }) {
    if (type === 'invoice.paid') await enqueue(tx, { delivery: id, invoice: resource?.id })
  },
  // The queue works; the inbox settles the rows as ignored, and purges them.
  handlers: {},
  onSignal: (signal) => {
    if (signal.kind === 'store_failure') console.error('inbox:', signal.operation, signal.error)
  },
})
inbox.start()
const server = createServer(webhook({ secret: WEBHOOK_SECRET, inbox }))
server.listen(PORT, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
