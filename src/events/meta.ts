// The envelope of Meta's webhooks. What an entry holds depends on the product.

export type MetaEvent = {
  /** `whatsapp_business_account`, `page`, `instagram`, … */
  readonly object: string
  readonly entry: readonly MetaEntry[]
}

export type MetaEntry = {
  readonly id?: unknown
  readonly time?: unknown
  /** WhatsApp and Graph API fields. */
  readonly changes?: unknown
  /** Messenger and Instagram messages. */
  readonly messaging?: unknown
  readonly [key: string]: unknown
}
