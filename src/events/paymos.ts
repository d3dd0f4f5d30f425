// The events of Paymos, as their webhook documentation names them. Type aliases throughout, one arm
// a type: both are what lets `switch` narrow and an event be passed on as a plain record.

export type PaymosInvoiceEventType =
  | 'invoice.awaiting_payment'
  | 'invoice.confirming'
  | 'invoice.underpaid_waiting'
  | 'invoice.paid'
  | 'invoice.paid_over'
  | 'invoice.underpaid'
  | 'invoice.expired'
  | 'invoice.cancelled'
export type PaymosWithdrawalEventType =
  | 'withdrawal.created'
  | 'withdrawal.processing'
  | 'withdrawal.completed'
  | 'withdrawal.failed'
  | 'withdrawal.cancelled'
export type PaymosDepositEventType =
  | 'payment_channel.deposit.confirming'
  | 'payment_channel.deposit.reorged'
  | 'payment_channel.deposit.confirmed'
export type PaymosEventType =
  | PaymosInvoiceEventType
  | PaymosWithdrawalEventType
  | PaymosDepositEventType

/**
 * Any type not listed above. At run time it is the wire's own text: the suffix is for the compiler,
 * which cannot say "every other string".
 */
export type UnlistedEventType = `${string} (unlisted)`

export type PaymosEnvelope<Type extends string, Data> = {
  readonly event_id: string
  readonly event_type: Type
  readonly version: number
  readonly occurred_at: number
  readonly data: Data
}
export type KnownPaymosEvent =
  | { [T in PaymosInvoiceEventType]: PaymosEnvelope<T, PaymosInvoice> }[PaymosInvoiceEventType]
  | {
      [T in PaymosWithdrawalEventType]: PaymosEnvelope<T, PaymosWithdrawal>
    }[PaymosWithdrawalEventType]
  | { [T in PaymosDepositEventType]: PaymosEnvelope<T, PaymosDeposit> }[PaymosDepositEventType]
export type UnlistedPaymosEvent = PaymosEnvelope<
  UnlistedEventType,
  { readonly [key: string]: unknown }
>
/**
 * `data` has the provider's documented shape; what is checked is that it is an object. Pass a
 * `schema` to check more.
 */
export type PaymosEvent = KnownPaymosEvent | UnlistedPaymosEvent
export type PaymosEventOf<Type extends PaymosEventType> = Extract<
  PaymosEvent,
  { readonly event_type: Type }
>

export type PaymosInvoice = {
  readonly invoice_id: string
  readonly project_id: string
  readonly status:
    | 'awaiting_client'
    | 'awaiting_payment'
    | 'confirming'
    | 'underpaid_waiting'
    | 'paid'
    | 'paid_over'
    | 'underpaid'
    | 'expired'
    | 'cancelled'
    | (string & {})
  readonly is_final: boolean
  readonly is_test: boolean
  readonly payment_url: string
  readonly order: {
    readonly external_id: string
    readonly amount: string
    readonly currency: string
    readonly client_id?: string
    readonly network?: string
  }
  readonly payment?: {
    readonly currency: string
    readonly network: string
    readonly chain_id: number
    readonly expected: string
    readonly contract_address?: string
    readonly address?: string
    readonly exchange_rate?: string
    readonly paid?: string
    readonly remaining?: string
    readonly fee?: string
    readonly net?: string
    readonly transfers?: readonly PaymosTransfer[]
  }
  readonly created_at: number
  readonly updated_at: number
  readonly expires_at?: number
  readonly completed_at?: number
}
export type PaymosTransfer = {
  readonly tx_hash: string
  readonly amount: string
  readonly status: 'confirming' | 'confirmed' | (string & {})
  readonly created_at: number
  readonly confirmed_at?: number
  readonly required_confirmations?: number
  readonly estimated_confirmation_at?: number
  readonly explorer_url?: string
}
export type PaymosWithdrawal = {
  readonly withdrawal_id: string
  readonly external_order_id: string
  readonly status:
    | 'created'
    | 'pending_review'
    | 'signed'
    | 'cancelling'
    | 'completed'
    | 'failed'
    | 'cancelled'
    | (string & {})
  readonly is_final: boolean
  readonly is_test: boolean
  readonly amount: string
  readonly currency: string
  readonly network: string
  readonly destination_address: string
  readonly created_at: number
  readonly fee?: string
  readonly tx_hash?: string
  readonly explorer_url?: string
  readonly completed_at?: number
  readonly failed_at?: number
  readonly cancelled_at?: number
}
export type PaymosDeposit = {
  readonly id: string
  readonly payment_channel_id: string
  readonly project_id: string
  readonly payment_channel_external_id: string
  readonly status: 'confirming' | 'reorged' | 'confirmed' | (string & {})
  readonly is_final: boolean
  readonly is_test: boolean
  readonly currency: string
  readonly network: string
  readonly chain_id: number
  readonly contract_address?: string
  readonly gross: string
  readonly fee: string
  readonly net: string
  readonly applied_fee_percent: number
  readonly customer_fee_percent: number
  readonly tx_hash: string
  readonly transfer_id: string
  readonly source_address?: string
  readonly destination_address: string
  readonly block_height: number
  readonly first_included_block_timestamp?: number
  readonly explorer_url?: string
  readonly created_at: number
  readonly updated_at: number
  readonly confirmed_at?: number
}
