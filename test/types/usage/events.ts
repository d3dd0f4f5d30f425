import type {
  Accepted,
  KnownPaymosEvent,
  PaymosDeposit,
  PaymosEnvelope,
  PaymosEvent,
  PaymosEventOf,
  PaymosEventType,
  PaymosInvoice,
  PaymosWithdrawal,
  UnlistedEventType,
  UnlistedPaymosEvent,
} from 'hookproof'
import { verify } from 'hookproof'

const event = some<PaymosEvent>()

export function plainSwitch(): string {
  switch (event.event_type) {
    case 'invoice.paid':
      check<Equal<typeof event.data, PaymosInvoice>>()
      check<Equal<typeof event, PaymosEventOf<'invoice.paid'>>>()
      return event.data.order.amount
    case 'withdrawal.failed':
      check<Equal<typeof event.data, PaymosWithdrawal>>()
      return event.data.withdrawal_id
    case 'payment_channel.deposit.confirmed':
      check<Equal<typeof event.data, PaymosDeposit>>()
      return event.data.transfer_id
    // @ts-expect-error TS2678: a misspelt type is no type of the union
    case 'invoice.payed':
      return ''
    default:
      return event.event_type
  }
}

export function fallThrough(): string {
  switch (event.event_type) {
    case 'invoice.paid':
    case 'invoice.paid_over':
      check<Equal<typeof event.event_type, 'invoice.paid' | 'invoice.paid_over'>>()
      return event.data.invoice_id
    case 'withdrawal.completed':
    case 'payment_channel.deposit.confirmed':
      check<Equal<typeof event.data, PaymosWithdrawal | PaymosDeposit>>()
      // @ts-expect-error TS2339: a withdrawal has no transfer
      return event.data.transfer_id
    default:
      // @ts-expect-error TS2339: no longer an invoice for certain
      return event.data.invoice_id
  }
}

export function ifs(): string {
  if (event.event_type === 'invoice.underpaid') return event.data.payment?.remaining ?? ''
  if (event.event_type !== 'withdrawal.created') return ''
  check<Equal<typeof event, PaymosEventOf<'withdrawal.created'>>>()
  return event.data.destination_address
}

export function typoInIf(): boolean {
  // @ts-expect-error TS2367: these texts have no overlap
  return event.event_type === 'invoice.payed'
}

export function destructured({ event_type, data }: PaymosEvent): string {
  if (event_type === 'payment_channel.deposit.reorged') return data.tx_hash
  switch (event_type) {
    case 'invoice.expired':
      return data.payment_url
    default:
      return ''
  }
}

export function switchTrue(): string {
  switch (true) {
    case event.event_type === 'invoice.cancelled':
      return event.data.invoice_id
    default:
      return ''
  }
}

export function exhaustive(): unknown {
  switch (event.event_type) {
    case 'invoice.awaiting_payment':
    case 'invoice.confirming':
    case 'invoice.underpaid_waiting':
    case 'invoice.paid':
    case 'invoice.paid_over':
    case 'invoice.underpaid':
    case 'invoice.expired':
    case 'invoice.cancelled':
      check<Equal<typeof event.data, PaymosInvoice>>()
      return event.data
    case 'withdrawal.created':
    case 'withdrawal.processing':
    case 'withdrawal.completed':
    case 'withdrawal.failed':
    case 'withdrawal.cancelled':
      check<Equal<typeof event.data, PaymosWithdrawal>>()
      return event.data
    case 'payment_channel.deposit.confirming':
    case 'payment_channel.deposit.reorged':
    case 'payment_channel.deposit.confirmed':
      check<Equal<typeof event.data, PaymosDeposit>>()
      return event.data
    default:
      check<Equal<typeof event, UnlistedPaymosEvent>>()
      return event satisfies UnlistedPaymosEvent
  }
}

export function oneTypeForgotten(): unknown {
  switch (event.event_type) {
    case 'invoice.paid':
      return event.data
    default:
      // @ts-expect-error TS1360: fifteen known types are left
      return event satisfies UnlistedPaymosEvent
  }
}

export function unlisted({ event_type, data }: UnlistedPaymosEvent): string {
  check<Equal<(typeof data)['refund_id'], unknown>>()
  check<Equal<IsAny<(typeof data)['refund_id']>, false>>()
  check<Equal<IsAny<typeof data>, false>>()
  // @ts-expect-error TS2322: what the open arm holds has to be looked at first
  const text: string = data.refund_id
  return typeof data.refund_id === 'string' ? data.refund_id : event_type.toUpperCase() + text
}

export function newerType({ delivery, event }: Accepted<PaymosEvent>): boolean {
  const type: string = event.event_type
  // @ts-expect-error TS2367: a type newer than the package, compared on the event
  const onTheEvent = event.event_type === 'invoice.refunded'
  return delivery.type === 'invoice.refunded' || type === 'invoice.refunded' || onTheEvent
}

type Refund = { readonly refund_id: string }
type WithRefund = PaymosEvent | PaymosEnvelope<'invoice.refunded', Refund>

export async function ownArm(): Promise<string> {
  const verdict = await verify<WithRefund>({ headers: {}, body: '' }, { secret: 'whsec_1' })
  if (!verdict.ok) return verdict.reason
  switch (verdict.event.event_type) {
    case 'invoice.refunded':
      check<Equal<typeof verdict.event.data, Refund>>()
      return verdict.event.data.refund_id
    case 'invoice.paid':
      check<Equal<typeof verdict.event.data, PaymosInvoice>>()
      return verdict.event.data.invoice_id
    default:
      return ''
  }
}

check<Equal<PaymosEventOf<'invoice.paid'>, PaymosEnvelope<'invoice.paid', PaymosInvoice>>>()
check<
  Equal<
    PaymosEventOf<'withdrawal.created' | 'invoice.paid'>['data'],
    PaymosWithdrawal | PaymosInvoice
  >
>()
check<Equal<KnownPaymosEvent['event_type'], PaymosEventType>>()
check<Equal<PaymosEvent['event_type'], PaymosEventType | UnlistedEventType>>()
// @ts-expect-error TS2344: only the sixteen types have a name of their own
export type Misspelt = PaymosEventOf<'invoice.payed'>

export function filtered(events: readonly PaymosEvent[]): readonly string[] {
  const isPaid = (event: PaymosEvent): event is PaymosEventOf<'invoice.paid'> =>
    event.event_type === 'invoice.paid'
  return events.filter(isPaid).map(({ data }) => data.order.external_id)
}

export function ownGuards(oneOf: readonly PaymosInvoice['status'][]): boolean {
  const isInvoice = (
    event: PaymosEvent,
  ): event is Extract<KnownPaymosEvent, { data: PaymosInvoice }> =>
    event.event_type.startsWith('invoice.')
  return isInvoice(event) && oneOf.includes(event.data.status)
}

export function copies(): PaymosEvent {
  if (event.event_type !== 'invoice.paid') return { ...event }
  const copy = { ...event, received: 1 }
  check<Equal<typeof copy.data, PaymosInvoice>>()
  return { ...event, version: 2 }
}

export function handMade(data: PaymosInvoice): readonly PaymosEvent[] {
  const envelope = { event_id: 'evt_1', version: 1, occurred_at: 1 }
  return [
    { ...envelope, event_type: 'invoice.paid', data },
    { ...envelope, event_type: 'x.y' as string as UnlistedEventType, data: { any: 'thing' } },
    // @ts-expect-error TS2322: a known type with foreign data
    { ...envelope, event_type: 'withdrawal.created', data },
    // @ts-expect-error TS2322: an unlisted type by its plain text
    { ...envelope, event_type: 'x.y', data: {} },
  ]
}

export function asRecord(event: PaymosEvent): readonly unknown[] {
  const record: { readonly [key: string]: unknown } = event
  const data: { readonly [key: string]: unknown } = event.data
  const labels: Record<string, string> = {}
  return [record, data.newer_field, labels[event.event_type]]
}

export function readonlyThroughout(event: PaymosEventOf<'invoice.paid'>): void {
  // @ts-expect-error TS2540: an event is what was signed
  event.event_id = 'evt_2'
  // @ts-expect-error TS2540: and so is its data
  event.data.order.amount = '1.00'
}
