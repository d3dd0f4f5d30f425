import { isObject, isText } from '../core/envelope.ts'
import type { PaymosEventType } from '../events/paymos.ts'

/** A resource's state as `advance` takes it; of two final ones, or two not final, the later one wins. */
export interface ResourceState {
  readonly status: string
  /** Whether the provider leaves this status again. */
  readonly isFinal: boolean
  /** Of two within one second, the greater one wins. */
  readonly rank: number
  /** Unix seconds, default: the delivery's. */
  readonly occurredAt?: number | undefined
}

const FINAL = true
const OPEN = false
const PAYMOS: Readonly<Record<PaymosEventType, readonly [isFinal: boolean, rank: number]>> = {
  // A reorganisation of the chain may lead back here.
  'invoice.awaiting_payment': [OPEN, 1],
  'invoice.confirming': [OPEN, 2],
  'invoice.underpaid_waiting': [OPEN, 2],
  'invoice.cancelled': [FINAL, 3],
  'invoice.expired': [FINAL, 3],
  'invoice.underpaid': [FINAL, 3],
  'invoice.paid': [FINAL, 4],
  'invoice.paid_over': [FINAL, 4],
  'withdrawal.created': [OPEN, 1],
  'withdrawal.processing': [OPEN, 2],
  'withdrawal.completed': [FINAL, 4],
  'withdrawal.failed': [FINAL, 4],
  'withdrawal.cancelled': [FINAL, 4],
  // Advisory: it may come after the confirmation.
  'payment_channel.deposit.confirming': [OPEN, 1],
  'payment_channel.deposit.reorged': [OPEN, 1],
  'payment_channel.deposit.confirmed': [FINAL, 4],
}

/** What an event of Paymos says of its resource; `undefined` for a type that is not listed. */
export function paymosState(type: string, event: unknown): ResourceState | undefined {
  if (!Object.hasOwn(PAYMOS, type)) return undefined
  const [isFinal, rank] = PAYMOS[type as PaymosEventType]
  const data = isObject(event) && isObject(event.data) ? event.data : {}
  const { status, is_final } = data
  // The payload's own word takes a final state back: a deposit may be confirmed and not yet final.
  return { status: isText(status) ? status : type, isFinal: isFinal && is_final !== false, rank }
}
