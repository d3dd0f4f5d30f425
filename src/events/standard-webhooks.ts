// The payload that the Standard Webhooks specification recommends; senders need not follow it.

export type StandardWebhooksEvent = {
  readonly type?: unknown
  readonly timestamp?: unknown
  readonly data?: unknown
  readonly [key: string]: unknown
}
