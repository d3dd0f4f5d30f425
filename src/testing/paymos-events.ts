import type {
  PaymosDeposit,
  PaymosEventOf,
  PaymosEventType,
  PaymosInvoice,
  PaymosWithdrawal,
} from '../events/paymos.ts'
import { randomId } from './random.ts'

type DataOf<Type extends PaymosEventType> = PaymosEventOf<Type>['data']

export interface PaymosEventParts<Type extends PaymosEventType = PaymosEventType> {
  /** Default: a new one. */
  readonly event_id?: string
  /** Default: 1. */
  readonly version?: number
  /** Unix seconds, default: now. */
  readonly occurred_at?: number
  /** Merged into the data; the resource's id is a new one by default. */
  readonly data?: Partial<DataOf<Type>>
}

/** The status in `data`, and whether it is final; the names of events do not say it. */
const STATES: Readonly<Record<PaymosEventType, readonly [status: string, isFinal: boolean]>> = {
  'invoice.awaiting_payment': ['awaiting_payment', false],
  'invoice.confirming': ['confirming', false],
  'invoice.underpaid_waiting': ['underpaid_waiting', false],
  'invoice.paid': ['paid', true],
  'invoice.paid_over': ['paid_over', true],
  'invoice.underpaid': ['underpaid', true],
  'invoice.expired': ['expired', true],
  'invoice.cancelled': ['cancelled', true],
  'withdrawal.created': ['created', false],
  'withdrawal.processing': ['signed', false],
  'withdrawal.completed': ['completed', true],
  'withdrawal.failed': ['failed', true],
  'withdrawal.cancelled': ['cancelled', true],
  'payment_channel.deposit.confirming': ['confirming', false],
  'payment_channel.deposit.reorged': ['reorged', false],
  'payment_channel.deposit.confirmed': ['confirmed', true],
}

/** The 16 types that are documented. */
export const PAYMOS_EVENT_TYPES: readonly PaymosEventType[] = /* @__PURE__ */ Object.keys(
  STATES,
) as PaymosEventType[]

/**
 * A valid event of one of the 16 types, in the documented shape, with a new id and about a new
 * resource unless you name them.
 */
export function paymosEvent<Type extends PaymosEventType>(
  type: Type,
  parts: PaymosEventParts<Type> = {},
): PaymosEventOf<Type> {
  const { event_id = randomId('evt'), version = 1 } = parts
  const { occurred_at = Math.floor(Date.now() / 1000) } = parts
  const data = { ...sampleData(type, occurred_at), ...parts.data }
  // The family of the type decides the shape of the data, which the compiler cannot follow.
  return {
    event_id,
    event_type: type,
    version,
    occurred_at,
    data,
  } as unknown as PaymosEventOf<Type>
}

/** The same event as `count` endpoints get it: each with an id of its own, about one resource. */
export function fanOut<E extends { readonly event_id: string }>(event: E, count: number): E[] {
  return Array.from({ length: count }, () => ({ ...event, event_id: randomId('evt') }))
}

function sampleData(type: PaymosEventType, at: number) {
  if (type.startsWith('invoice.')) return invoice(type, at)
  return type.startsWith('withdrawal.') ? withdrawal(type, at) : deposit(type, at)
}

const TOKEN = {
  network: 'TRC20',
  chain_id: 728126428,
  contract_address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
}
const TX_HASH = '7c5b1f0a9e34d2687c5b1f0a9e34d2687c5b1f0a9e34d2687c5b1f0a9e34d268'

function invoice(type: PaymosEventType, at: number): PaymosInvoice {
  const [status, is_final] = STATES[type]
  const invoice_id = randomId('inv')
  const isUnpaid = ['awaiting_payment', 'expired', 'cancelled'].includes(status)
  const isShort = status.startsWith('underpaid')
  const amount = isShort ? '40.00' : status === 'paid_over' ? '110.00' : '100.00'
  return {
    invoice_id,
    project_id: 'prj_7Yk2mQw9RtB4nXc8LpVd3S',
    status,
    is_final,
    is_test: true,
    payment_url: `https://pay.example/${invoice_id}`,
    order: { external_id: `order-${invoice_id.slice(4)}`, amount: '100.00', currency: 'USD' },
    payment: {
      currency: 'USDT',
      ...TOKEN,
      expected: '100.00',
      paid: isUnpaid ? '0' : amount,
      remaining: isUnpaid ? '100.00' : isShort ? '60.00' : '0',
      transfers: isUnpaid
        ? []
        : [
            {
              tx_hash: TX_HASH,
              amount,
              status: is_final ? 'confirmed' : 'confirming',
              created_at: at - 60,
              ...(is_final && { confirmed_at: at }),
            },
          ],
    },
    created_at: at - 300,
    updated_at: at,
    expires_at: at + 3300,
    ...(is_final && { completed_at: at }),
  }
}

function withdrawal(type: PaymosEventType, at: number): PaymosWithdrawal {
  const [status, is_final] = STATES[type]
  const withdrawal_id = randomId('wdr')
  return {
    withdrawal_id,
    external_order_id: `payout-${withdrawal_id.slice(4)}`,
    status,
    is_final,
    is_test: true,
    amount: '25.50',
    currency: 'USDT',
    network: TOKEN.network,
    destination_address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
    created_at: at - 120,
    ...(status === 'completed' && { fee: '1.00', tx_hash: TX_HASH, completed_at: at }),
    ...(status === 'failed' && { failed_at: at }),
    ...(status === 'cancelled' && { cancelled_at: at }),
  }
}

function deposit(type: PaymosEventType, at: number): PaymosDeposit {
  const [status, is_final] = STATES[type]
  return {
    id: randomId('pcd'),
    payment_channel_id: 'pc_5Hn8vTz2KdQ7wRj4XbMy1L',
    project_id: 'prj_7Yk2mQw9RtB4nXc8LpVd3S',
    payment_channel_external_id: 'customer-1',
    status,
    is_final,
    is_test: true,
    currency: 'USDT',
    ...TOKEN,
    gross: '50.00',
    fee: '0.50',
    net: '49.50',
    applied_fee_percent: 1,
    customer_fee_percent: 0,
    tx_hash: TX_HASH,
    transfer_id: randomId('trf'),
    destination_address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
    block_height: 61234567,
    created_at: at - 60,
    updated_at: at,
    ...(is_final && { confirmed_at: at }),
  }
}
