import type { PaymosEventType } from '../events/paymos.ts'
import { type Message, toMessage } from '../testing/message.ts'
import { PAYMOS_EVENT_TYPES, paymosEvent } from '../testing/paymos-events.ts'
import { randomId } from '../testing/random.ts'
import {
  githubRecipe,
  githubStory,
  messageOf,
  metaRecipe,
  metaStory,
  type Recipe,
  standardWebhooksRecipe,
  standardWebhooksStory,
  stripeRecipe,
  stripeStory,
} from '../testing/stories.ts'
import { paymosStory, type Scene, type Story, type Subject, subjectOf } from '../testing/story.ts'
import type { Arguments } from './arguments.ts'
import { readScheme } from './scheme.ts'

/** What `send` and `prove` know of a provider's events. */
export interface Provider {
  readonly story: Story
  /** All there are; absent where any will do. */
  readonly types?: readonly string[]
  /** One of them, for an example. */
  readonly example: string
  /** A new resource for an event of this type. */
  readonly subject: (type: string) => Subject
  readonly message: (type: string, subject: Subject, scene?: Scene & { id?: string }) => Message
}

const now = (): number => Math.floor(Date.now() / 1000)

const paymosProvider: Provider = {
  story: paymosStory,
  types: PAYMOS_EVENT_TYPES,
  example: 'invoice.paid',
  subject: (type) => subjectOf(randomId(PREFIXES[familyOf(type)])),
  message(type, { id, orderId }, { id: event_id, occurredAt = now() } = {}) {
    const data = {
      invoice: {
        invoice_id: id,
        order: { external_id: orderId, amount: '100.00', currency: 'USD' },
      },
      withdrawal: { withdrawal_id: id, external_order_id: orderId },
      payment_channel: { id },
    }[familyOf(type)]
    // The family of the type decides the shape of the data, which the compiler cannot follow.
    const parts = { occurred_at: occurredAt, data: data as object, ...(event_id && { event_id }) }
    return toMessage(paymosEvent(type as PaymosEventType, parts))
  },
}

const PREFIXES = { invoice: 'inv', withdrawal: 'wdr', payment_channel: 'pcd' } as const

function familyOf(type: string): keyof typeof PREFIXES {
  return type.slice(0, type.indexOf('.')) as keyof typeof PREFIXES
}

function provider(recipe: Recipe, story: Story): Provider {
  const { booking, types } = recipe
  return {
    story,
    example: booking,
    subject: story.subject,
    message: (type, subject, scene) => messageOf(recipe, type, subject, scene),
    ...(types && { types }),
  }
}

const PROVIDERS: Readonly<Record<string, Provider>> = {
  stripe: provider(stripeRecipe, stripeStory),
  standardWebhooks: provider(standardWebhooksRecipe, standardWebhooksStory),
  github: provider(githubRecipe, githubStory),
  meta: provider(metaRecipe, metaStory),
}

export function readProvider(args: Arguments): Provider {
  return PROVIDERS[readScheme(args).name] ?? paymosProvider
}
