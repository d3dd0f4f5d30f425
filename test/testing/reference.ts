import { verify } from 'hookproof'
import {
  createInbox,
  type Inbox,
  type InboxStore,
  type MemoryTransaction,
  memoryStore,
} from 'hookproof/inbox'
import { postgresStore } from 'hookproof/inbox/postgres'
import { type SqliteDatabase, sqliteStore } from 'hookproof/inbox/sqlite'
import { createClock, createGate, type KitOptions, type TestClock } from 'hookproof/testing'
import type { Client, Pool } from '../inbox/drivers.d.ts'
import { SECRET } from './receiver.ts'

// A shop over an inbox, as its documentation shows it: an order is paid once, and a paid order has
// one parcel. The tables let it have two.

export interface Reference {
  readonly kit: KitOptions
  readonly end: () => Promise<void>
}

interface Order {
  isPaid: boolean
  status: string
  parcels: number
}

export function onMemory(): Reference {
  const clock = createClock()
  const orders = new Map<string, Order>()
  const order = (id: string) => orders.get(id) as Order
  const change = (tx: MemoryTransaction | undefined, id: string, values: Partial<Order>) => {
    const before = { ...order(id) }
    Object.assign(order(id), values)
    tx?.onRollback(() => orders.set(id, before))
  }
  const ship = (tx: MemoryTransaction | undefined, id: string) => {
    if (!order(id).isPaid) change(tx, id, { isPaid: true, parcels: order(id).parcels + 1 })
  }
  const shop: Shop<MemoryTransaction> = {
    ship: async (tx, id) => ship(tx, id),
    setStatus: async (tx, id, status) => change(tx, id, { status }),
    around: {
      prepare: ({ id }) => orders.set(id, { isPaid: false, status: 'new', parcels: 0 }),
      observe: (id) => ({ effects: order(id).parcels, state: order(id).status }),
      bookByHand: (id) => ship(undefined, id),
    },
  }
  return asyncShop(memoryStore({ clock: clock.now }), clock, shop)
}

export async function onPostgres(pool: Pool, prefix: string): Promise<Reference> {
  const clock = createClock()
  const store = postgresStore(pool, { clock: clock.now, prefix })
  await store.migrate()
  await pool.query(`create table ${prefix}orders
    (id text primary key, is_paid boolean not null, status text not null)`)
  await pool.query(`create table ${prefix}parcels (order_id text not null)`)
  const ship = async (tx: Pick<Client, 'query'>, id: string) => {
    const paid = await tx.query(
      `update ${prefix}orders set is_paid = true where id = $1 and not is_paid returning id`,
      [id],
    )
    if (paid.rows.length === 1) await tx.query(`insert into ${prefix}parcels values ($1)`, [id])
  }
  const shop: Shop<Client> = {
    ship,
    async setStatus(tx, id, status) {
      await tx.query(`update ${prefix}orders set status = $2 where id = $1`, [id, status])
    },
    around: {
      prepare: ({ id }) =>
        pool.query(`insert into ${prefix}orders values ($1, false, 'new')`, [id]),
      async observe(id) {
        const { rows } = await pool.query(
          `select status, (select count(*)::int from ${prefix}parcels where order_id = id) as parcels
           from ${prefix}orders where id = $1`,
          [id],
        )
        return { effects: rows[0].parcels, state: rows[0].status }
      },
      bookByHand: (id) => ship(pool, id),
    },
  }
  return asyncShop(store, clock, shop)
}

export async function onSqlite(open: () => SqliteDatabase): Promise<Reference> {
  const clock = createClock()
  const store = sqliteStore(open, { clock: clock.now })
  await store.migrate()
  const db = open()
  db.exec('create table orders (id text primary key, is_paid integer, status text)')
  db.exec('create table parcels (order_id text)')
  const ship = (tx: SqliteDatabase, id: string) => {
    const pay = 'update orders set is_paid = 1 where id = ? and is_paid = 0 returning id'
    if (tx.prepare(pay).all(id).length === 1) tx.prepare('insert into parcels values (?)').run(id)
  }
  const gate = createGate()
  const paid = {
    prepare: () => gate.pass(),
    apply(tx: SqliteDatabase, event: InvoiceEvent, { advance }: { advance: () => string }) {
      const { invoice_id, status } = event.data
      if (status === 'paid') ship(tx, invoice_id)
      if (advance() === 'stale') return 'stale' as const
      tx.prepare('update orders set status = ? where id = ?').run(status, invoice_id)
      return undefined
    },
  }
  const inbox = createInbox({
    store,
    handlers: forInvoices(paid),
    ...timing(clock),
  })
  const observed = `select status, (select count(*) from parcels where order_id = id) as parcels
    from orders where id = ?`
  const around: Around = {
    prepare: ({ id }) => db.prepare("insert into orders values (?, 0, 'new')").run(id),
    observe(id) {
      const [row] = db.prepare(observed).all(id) as { status: string; parcels: number }[]
      return { effects: Number(row?.parcels), state: row?.status }
    },
    bookByHand: (id) => ship(db, id),
  }
  const reference = reach(inbox, clock, gate, around)
  return {
    ...reference,
    async end() {
      await reference.end()
      await store.close()
      db.close()
    },
  }
}

const timing = (clock: TestClock) => ({ clock: clock.now, pollMs: 25 })

/** One handler for all events of an invoice's life. */
const forInvoices = <H>(handler: H) => ({
  'invoice.paid': handler,
  'invoice.confirming': handler,
  'invoice.awaiting_payment': handler,
})

type InvoiceEvent = { readonly data: { readonly invoice_id: string; readonly status: string } }
type Around = Pick<KitOptions, 'prepare' | 'observe' | 'bookByHand'>

interface Shop<Tx> {
  readonly ship: (tx: Tx, id: string) => Promise<void>
  readonly setStatus: (tx: Tx, id: string, status: string) => Promise<void>
  readonly around: Around
}

function asyncShop<Tx>(
  store: InboxStore<Tx, 'async'>,
  clock: TestClock,
  shop: Shop<Tx>,
): Reference {
  const gate = createGate()
  const paid = {
    prepare: () => gate.pass(),
    async apply(tx: Tx, event: InvoiceEvent, context: { advance: () => Promise<string> }) {
      const { invoice_id, status } = event.data
      if (status === 'paid') await shop.ship(tx, invoice_id)
      if ((await context.advance()) === 'stale') return 'stale' as const
      await shop.setStatus(tx, invoice_id, status)
      return undefined
    },
  }
  const inbox = createInbox({
    store,
    handlers: forInvoices(paid),
    ...timing(clock),
  })
  return reach(inbox, clock, gate, shop.around)
}

/** What is paid by the API, compared by the inbox itself. */
function reach(
  inbox: Inbox,
  clock: TestClock,
  gate: ReturnType<typeof createGate>,
  around: Around,
): Reference {
  inbox.start()
  const effects = async ({ id }: { id: string }) => {
    const seen = await around.observe(id, { id, orderId: '' })
    return typeof seen === 'number' ? seen : seen.effects
  }
  return {
    kit: {
      async target(request) {
        const verdict = await verify(request, { secret: SECRET, now: clock.seconds })
        return verdict.ok ? inbox.receive(verdict) : verdict
      },
      ...{ secret: SECRET, clock, gate, quietMs: 40 },
      ...around,
      async reconcile(paid) {
        const resources = paid.map((id) => ({ kind: 'invoice', id }))
        const { found } = await inbox.reconcile({ resources, effects })
        const of = (kind: string) =>
          found.filter((one) => one.kind === kind).map((one) => one.resource.id)
        return { missing: of('missing'), double: of('double') }
      },
    },
    async end() {
      await inbox.stop({ timeoutMs: 100 })
    },
  }
}
