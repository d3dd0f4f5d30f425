// The envelope of Stripe's events. For typed data take the event types of Stripe's own package:
// `scheme: stripe as Scheme<Stripe.Event>`.

export type StripeEvent = {
  readonly id: string
  /** `event`, or `v2.core.event` for a thin event. */
  readonly object?: string
  readonly type: string
  /** Unix seconds; RFC 3339 text in a thin event. */
  readonly created?: number | string
  readonly livemode?: boolean
  readonly api_version?: string | null
  /** The object the event is about, in a snapshot event. */
  readonly data?: { readonly object: { readonly object?: unknown; readonly id?: unknown } }
  /** Where to fetch it, in a thin event. */
  readonly related_object?: {
    readonly id: string
    readonly type: string
    readonly url: string
  } | null
}
