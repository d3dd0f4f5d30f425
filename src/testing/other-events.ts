import type { GitHubEvent } from '../events/github.ts'
import type { MetaEvent } from '../events/meta.ts'
import type { StandardWebhooksEvent } from '../events/standard-webhooks.ts'
import type { StripeEvent } from '../events/stripe.ts'
import { type Message, toMessage } from './message.ts'
import { randomId } from './random.ts'

/** A snapshot event of Stripe's, about a new object unless you name one. */
export function stripeEvent(
  type: string,
  object: {
    readonly object?: string
    readonly id?: string
    readonly [field: string]: unknown
  } = {},
  parts: Partial<StripeEvent> = {},
): StripeEvent {
  const kind = object.object ?? type.split('.').slice(0, -1).join('.')
  return {
    id: randomId('evt'),
    object: 'event',
    type,
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    api_version: '2025-11-17',
    data: { object: { id: randomId(kind.slice(0, 2)), object: kind, ...object } },
    ...parts,
  }
}

/** An event in the form that Standard Webhooks recommends. */
export function standardWebhooksEvent(type: string, data: unknown = {}): StandardWebhooksEvent {
  return { type, timestamp: new Date().toISOString(), data }
}

/** A delivery of GitHub's, whose type and id stand in headers. */
export function githubMessage(type: string, event: GitHubEvent = {}): Message {
  const sample = { repository: { id: 1, full_name: 'octo/hello' }, sender: { login: 'octo' } }
  return toMessage({ ...sample, ...event }, { type, headers: { 'X-GitHub-Event': type } })
}

/** A WhatsApp delivery with messages of these ids. */
export function metaEvent(messageIds: readonly string[] = [randomId('wamid')]): MetaEvent {
  const messages = messageIds.map((id) => ({ id, from: '15550001', type: 'text' }))
  const change = { field: 'messages', value: { messaging_product: 'whatsapp', messages } }
  return { object: 'whatsapp_business_account', entry: [{ id: '1', changes: [change] }] }
}
