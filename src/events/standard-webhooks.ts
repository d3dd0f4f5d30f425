// The payload that the Standard Webhooks specification recommends; senders need not follow it, and it
// is not checked.

export type StandardWebhooksEvent = {
  readonly type?: string
  readonly timestamp?: string
  readonly data?: unknown
  readonly [key: string]: unknown
}
