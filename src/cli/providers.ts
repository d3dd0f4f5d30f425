import type { PaymosEventType } from '../events/paymos.ts'
import { github, meta, standardWebhooks, stripe } from '../schemes/index.ts'
import { type Message, toMessage } from '../testing/message.ts'
import {
  githubMessage,
  metaEvent,
  standardWebhooksEvent,
  stripeEvent,
} from '../testing/other-events.ts'
import { PAYMOS_EVENT_TYPES, paymosEvent } from '../testing/paymos-events.ts'
import { randomId } from '../testing/random.ts'
import { paymosStory, type Scene, type Story, type Subject } from '../testing/story.ts'
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

function newSubject(prefix: string): Subject {
  const id = randomId(prefix)
  return { id, orderId: `order-${id.slice(id.indexOf('_') + 1)}` }
}

const paymosProvider: Provider = {
  story: paymosStory,
  types: PAYMOS_EVENT_TYPES,
  example: 'invoice.paid',
  subject: (type) => newSubject(PREFIXES[familyOf(type)]),
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

type EventObject = { readonly [field: string]: unknown }

/** How the events of a provider are made, from which its story follows. */
interface Recipe {
  readonly traits: Pick<Story, 'scheme' | 'signsTwice' | 'idHeader' | 'reorder'>
  readonly prefix: string
  readonly event: (type: string, subject: Subject, scene: Scene & { id?: string }) => EventObject
  readonly message?: (type: string, event: EventObject) => Message
  readonly types?: readonly string[]
  readonly booking: string
  /** Books nothing, and comes before it. */
  readonly before?: string
  /** A type that nobody knows yet. */
  readonly unlisted?: string
}

function provider(recipe: Recipe): Provider {
  const { traits, prefix, event, types, booking, before, unlisted } = recipe
  const send = recipe.message ?? ((_: string, made: EventObject) => toMessage(made))
  const message: Provider['message'] = (type, subject, scene = {}) => {
    const made = send(type, event(type, subject, scene))
    return scene.id === undefined ? made : { ...made, id: scene.id }
  }
  const story: Story = {
    ...traits,
    subject: () => newSubject(prefix),
    booking: (subject, scene) => message(booking, subject, scene),
    newer: (subject) => send(booking, { ...event(booking, subject, {}), trace_id: 'a1' }),
    ...(before && { before: (subject, scene) => message(before, subject, scene) }),
    ...(unlisted && { unlisted: (subject) => message(unlisted, subject) }),
  }
  return {
    story,
    example: booking,
    subject: story.subject,
    message,
    ...(types && { types }),
  }
}

const stripeProvider = provider({
  traits: {
    scheme: stripe,
    signsTwice: true,
    reorder(headers) {
      const elements = headers['Stripe-Signature']?.split(',') ?? []
      return { ...headers, 'Stripe-Signature': elements.reverse().join(',') }
    },
  },
  prefix: 'pi',
  event(type, { id, orderId }, { id: eventId, occurredAt = now() }) {
    const status = type.slice(type.lastIndexOf('.') + 1)
    const intent = { object: 'payment_intent', id, amount: 10_000, currency: 'usd', status }
    const parts = { created: occurredAt, ...(eventId && { id: eventId }) }
    return stripeEvent(type, { ...intent, metadata: { order_id: orderId } }, parts)
  },
  booking: 'payment_intent.succeeded',
  before: 'payment_intent.processing',
  unlisted: 'payment_intent.amount_adjusted',
})

const standardWebhooksProvider = provider({
  traits: { scheme: standardWebhooks, signsTwice: true },
  prefix: 'inv',
  event(type, { id, orderId }, { occurredAt = now() }) {
    const timestamp = new Date(occurredAt * 1000).toISOString()
    return { ...standardWebhooksEvent(type, { id, order_id: orderId }), timestamp }
  },
  booking: 'invoice.paid',
  before: 'invoice.confirming',
  unlisted: 'invoice.amount_adjusted',
})

const githubProvider = provider({
  traits: { scheme: github, idHeader: 'X-GitHub-Delivery' },
  prefix: 'RE',
  event: (_, { id, orderId }) => ({
    action: 'published',
    release: { node_id: id, tag_name: orderId, draft: false },
  }),
  message: githubMessage,
  booking: 'release',
  before: 'create',
  unlisted: 'release_adjusted',
})

const metaProvider = provider({
  traits: { scheme: meta },
  prefix: 'wamid',
  event: (_, { id }) => metaEvent([id]),
  message: (type, event) => toMessage(event, { type }),
  types: ['messages'],
  booking: 'messages',
})

const PROVIDERS: Readonly<Record<string, Provider>> = {
  stripe: stripeProvider,
  standardWebhooks: standardWebhooksProvider,
  github: githubProvider,
  meta: metaProvider,
}

export function readProvider(args: Arguments): Provider {
  return PROVIDERS[readScheme(args).name] ?? paymosProvider
}
