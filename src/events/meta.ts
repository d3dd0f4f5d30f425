// The envelope of Meta's webhooks, as documented. What an entry holds depends on the product, and is
// not checked.

export type MetaEvent = {
  /** `whatsapp_business_account`, `page`, `instagram`, … */
  readonly object: string
  readonly entry: readonly MetaEntry[]
}

export type MetaEntry = {
  readonly id?: unknown
  readonly time?: unknown
  /** WhatsApp and Graph API fields. */
  readonly changes?: readonly { readonly field?: string; readonly value?: unknown }[]
  /** Messenger and Instagram messages. */
  readonly messaging?: readonly { readonly [key: string]: unknown }[]
  readonly [key: string]: unknown
}
