import type { Scheme, SignedHeaders } from '../core/scheme.ts'
import type { PaymosEventType } from '../events/paymos.ts'
import { paymos } from '../schemes/paymos.ts'
import { type Message, toMessage } from './message.ts'
import { type PaymosEventParts, paymosEvent } from './paymos-events.ts'
import { randomId } from './random.ts'

/** What an event of a story is about. */
export interface Subject {
  /** The resource's id, such as `inv_…`: what `observe` is asked about. */
  readonly id: string
  /** Your own order's id, as the event carries it. */
  readonly orderId: string
}

/** What varies between events about one subject. */
export interface Scene {
  /** Unix seconds; default: now. */
  readonly occurredAt?: number | undefined
}

/** Makes one event about a subject. */
export type Telling = (subject: Subject, scene?: Scene) => Message

/**
 * One provider's tale of a resource, which the proofs tell in many ways. Each call makes an event
 * with an id of its own. Scenarios whose part is missing are left out.
 */
export interface Story {
  readonly scheme: Scheme<unknown>
  /** Whether two secrets sign one delivery during a rotation. */
  readonly signsTwice?: boolean | undefined
  /** The unsigned header with the event's id. */
  readonly idHeader?: string | undefined
  /** The signature header with its elements in another order. */
  readonly reorder?: ((headers: SignedHeaders) => SignedHeaders) | undefined
  readonly subject: () => Subject
  /** The event that books, such as `invoice.paid`. */
  readonly booking: Telling
  /** An event before it that books nothing, such as `invoice.confirming`. */
  readonly before?: Telling | undefined
  /** All events of one resource, by their own time, the last of `scene`; that one is final and books. */
  readonly lifecycle?: ((subject: Subject, scene?: Scene) => readonly Message[]) | undefined
  /** The booking event in a newer version, with fields that nobody knows yet. */
  readonly newer?: Telling | undefined
  /** An event of a type that nobody knows yet. */
  readonly unlisted?: Telling | undefined
  /** Events of a deposit: only the one that is final credits it. */
  readonly deposit?:
    | {
        readonly subject: () => Subject
        readonly advisory: readonly Telling[]
        readonly booking: Telling
      }
    | undefined
}

const now = () => Math.floor(Date.now() / 1000)

/** Invoices and deposits of Paymos. */
export const paymosStory: Story = {
  scheme: paymos,
  signsTwice: true,
  idHeader: 'X-Webhook-Id',
  reorder(headers) {
    const elements = headers['X-Webhook-Signature']?.split(',') ?? []
    return { ...headers, 'X-Webhook-Signature': elements.reverse().join(',') }
  },
  subject: () => subjectOf(randomId('inv')),
  booking: (subject, scene) => toMessage(invoice('invoice.paid', subject, scene)),
  before: (subject, scene) => toMessage(invoice('invoice.confirming', subject, scene)),
  lifecycle(subject, { occurredAt = now() } = {}) {
    const at = (ago: number) => ({ occurredAt: occurredAt - ago })
    return [
      invoice('invoice.confirming', subject, at(20)),
      // A reorganisation of the chain took the payment back, and it came again.
      invoice('invoice.awaiting_payment', subject, at(10)),
      invoice('invoice.confirming', subject, at(0)),
      // In the second of the one before, as happens.
      invoice('invoice.paid', subject, at(0)),
    ].map((event) => toMessage(event))
  },
  newer(subject, scene) {
    const event = invoice('invoice.paid', subject, scene)
    const data = { ...event.data, settlement: { batch: 7 } }
    return toMessage({ ...event, version: 2, data, trace_id: 'a1' })
  },
  unlisted(subject, scene) {
    const { data, ...envelope } = invoice('invoice.confirming', subject, scene)
    const event_type = 'invoice.amount_adjusted'
    return toMessage({ ...envelope, event_type, data: { ...data, status: 'amount_adjusted' } })
  },
  deposit: {
    subject: () => subjectOf(randomId('pcd')),
    advisory: [
      (subject, scene) => toMessage(deposit('payment_channel.deposit.confirming', subject, scene)),
      (subject, scene) => toMessage(deposit('payment_channel.deposit.reorged', subject, scene)),
    ],
    booking: (subject, scene) =>
      toMessage(deposit('payment_channel.deposit.confirmed', subject, scene)),
  },
}

/** A resource with this id, and an order of its own. */
export function subjectOf(id: string): Subject {
  return { id, orderId: `order-${id.slice(id.indexOf('_') + 1)}` }
}

function invoice(
  type: PaymosEventType & `invoice.${string}`,
  { id, orderId }: Subject,
  { occurredAt = now() }: Scene = {},
) {
  const order = { external_id: orderId, amount: '100.00', currency: 'USD' }
  const parts: PaymosEventParts<'invoice.paid'> = {
    occurred_at: occurredAt,
    data: { invoice_id: id, order },
  }
  return paymosEvent(type, parts)
}

function deposit(
  type: PaymosEventType & `payment_channel.${string}`,
  { id }: Subject,
  { occurredAt = now() }: Scene = {},
) {
  return paymosEvent(type, { occurred_at: occurredAt, data: { id } })
}
