// An inbox's handlers know the event by its type, the transaction by its store, and whether they may wait.
import type {
  Accepted,
  PaymosDeposit,
  PaymosEnvelope,
  PaymosEvent,
  PaymosEventOf,
  Scheme,
} from 'hookproof'
import type {
  Advance,
  ApplyContext,
  CancelSignal,
  Inbox,
  InboxAnswer,
  InboxSignal,
  InboxStore,
  MemoryTransaction,
  PrepareContext,
  ReconcileReport,
} from 'hookproof/inbox'
import { createInbox, memoryStore } from 'hookproof/inbox'
import { webhook } from 'hookproof/node'
import { paymos } from 'hookproof/schemes/paymos'
import { type StripeEvent, stripe } from 'hookproof/schemes/stripe'

type Client = { query(text: string): Promise<number> }
type Database = { exec(text: string): void }
const store = some<InboxStore<Client, 'async'>>()
const syncStore = some<InboxStore<Database, 'sync'>>()

export const inbox = createInbox({
  store,
  handlers: {
    'invoice.paid': {
      async prepare(event, { key, signal, attempt, delivery }) {
        check<Equal<typeof event, PaymosEventOf<'invoice.paid'>>>()
        check<Equal<typeof signal, CancelSignal>>()
        check<Equal<typeof attempt, number>>()
        check<
          Equal<
            typeof delivery.resource,
            { readonly kind: string; readonly id: string } | undefined
          >
        >()
        return { label: key('label') }
      },
      async apply(tx, event, context, prepared: { label: string }) {
        check<Equal<typeof tx, Client>>()
        check<Equal<typeof event, PaymosEventOf<'invoice.paid'>>>()
        check<Equal<typeof context, ApplyContext<'async'>>>()
        check<Equal<ReturnType<typeof context.once>, Promise<boolean>>>()
        check<Equal<ReturnType<typeof context.advance>, Promise<Advance>>>()
        if (await context.once('fulfil')) await tx.query(prepared.label)
      },
    },
    'invoice.confirming': {
      async apply(_, __, { advance }) {
        if ((await advance()) === 'stale') return 'stale'
        return undefined
      },
    },
    'withdrawal.completed': { apply: async () => 'ignored' },
    'payment_channel.deposit.confirmed': {
      apply: async (tx, { data }) => {
        check<Equal<typeof data, PaymosDeposit>>()
        await tx.query(data.net)
        return 'stale'
      },
    },
    default: {
      async apply(_, event, context: PrepareContext) {
        check<Equal<typeof event, PaymosEvent>>()
        context.key('name', event.event_id)
      },
    },
  },
})
check<Equal<typeof inbox, Inbox>>()

export const onSqlite = createInbox({
  store: syncStore,
  handlers: {
    'invoice.paid': {
      prepare: async ({ data }) => data.order.external_id,
      apply(tx, event, { once, advance }, order: string) {
        check<Equal<typeof tx, Database>>()
        check<Equal<typeof event, PaymosEventOf<'invoice.paid'>>>()
        check<Equal<ReturnType<typeof once>, boolean>>()
        check<Equal<ReturnType<typeof advance>, Advance>>()
        if (once('fulfil')) tx.exec(order)
        return 'stale'
      },
    },
  },
})

export const inMemory = createInbox({
  store: memoryStore(),
  inline: { budgetMs: 2000 },
  redact: (event) => {
    check<Equal<typeof event, PaymosEvent>>()
    return { ...event, data: {} }
  },
  retention: { bodyDays: 7, idDays: Number.POSITIVE_INFINITY },
  onRecord: async (tx, { id }) => {
    check<Equal<typeof tx, MemoryTransaction>>()
    tx.onRollback(() => id)
  },
  onSignal(signal) {
    check<Equal<typeof signal, InboxSignal>>()
    if (signal.kind === 'process') return [signal.delivery.id, signal.durationMs]
    return signal.kind === 'backlog' ? signal.due : undefined
  },
  handlers: {},
})

export const ofStripe = createInbox({
  store,
  scheme: stripe,
  handlers: {
    'checkout.session.completed': {
      async apply(_, event) {
        check<Equal<typeof event, StripeEvent>>()
      },
    },
  },
})

type Charge = { readonly type: 'charge.succeeded'; readonly amount: number }
type Refund = { readonly type: 'charge.refunded'; readonly refund: string }
export const ofTypedStripe = createInbox({
  store,
  scheme: some<Scheme<Charge | Refund>>(),
  handlers: {
    'charge.refunded': {
      async apply(_, event) {
        check<Equal<typeof event, Refund>>()
      },
    },
  },
})

type Newer = PaymosEvent | PaymosEnvelope<'invoice.refunded', { readonly refund_id: string }>
export const withOwnArm = createInbox({
  store,
  scheme: paymos as Scheme<Newer>,
  handlers: {
    'invoice.refunded': {
      async apply(_, { data }) {
        check<Equal<typeof data.refund_id, string>>()
      },
    },
  },
})

export const withoutBodies = createInbox({
  store,
  body: 'none',
  handlers: {
    'invoice.paid': {
      async apply(_, event) {
        check<Equal<typeof event, undefined>>()
      },
    },
  },
})

export function misuses(): void {
  // @ts-expect-error TS2769: a store that has one connection cannot wait
  createInbox({ store: syncStore, handlers: { 'invoice.paid': { apply: async () => {} } } })
  // @ts-expect-error TS2769: a misspelt type
  createInbox({ store, handlers: { 'invoice.payed': { async apply() {} } } })
  // @ts-expect-error TS2769: no such outcome
  createInbox({ store, handlers: { 'invoice.paid': { apply: async () => 'done' } } })
  // @ts-expect-error TS2769: nothing that books
  createInbox({ store, handlers: { 'invoice.paid': { prepare: async () => 5 } } })
  // @ts-expect-error TS2769: a misspelt option
  createInbox({ store, handlers: {}, lease: 5 })
  const ofText = async (_: Client, __: unknown, ___: unknown, text: string) => void text
  const { once } = some<ApplyContext<'async'>>()
  // @ts-expect-error TS2345: an item that is not there is not the resource
  once('fulfil', undefined)
  // @ts-expect-error TS2769: other than what was prepared
  createInbox({ store, handlers: { 'invoice.paid': { prepare: () => 5, apply: ofText } } })
}

export async function used(accepted: Accepted<PaymosEvent>): Promise<readonly unknown[]> {
  const answer = await inbox.receive(accepted, { traceparent: undefined })
  check<Equal<typeof answer, InboxAnswer>>()
  check<Equal<Awaited<ReturnType<Inbox['record']>>, 'recorded' | 'duplicate' | 'unidentified'>>()
  const invoices = [{ kind: 'invoice', id: 'inv_1', total: 5 }]
  const report = await inbox.reconcile({ resources: invoices, once: 'fulfil' })
  check<Equal<typeof report, ReconcileReport<{ kind: string; id: string; total: number }>>>()
  return [await inbox.drain(), await inbox.stop({ timeoutMs: 5 })]
}

export const receiver = webhook({
  secret: 'whsec_1',
  inbox,
  onSignal({ outcome, status, delivery }) {
    check<Equal<typeof status, number>>()
    return [outcome, delivery?.id]
  },
})
