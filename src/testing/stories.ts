import { github, meta, standardWebhooks, stripe } from '../schemes/index.ts'
import { type Message, toMessage } from './message.ts'
import { githubMessage, metaEvent, standardWebhooksEvent, stripeEvent } from './other-events.ts'
import { randomId } from './random.ts'
import { type Scene, type Story, type Subject, subjectOf } from './story.ts'

const now = (): number => Math.floor(Date.now() / 1000)

type EventObject = { readonly [field: string]: unknown }

/** How the events of a provider are made, from which its story follows. */
export interface Recipe {
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

/** An event of any type about a subject. */
export function messageOf(
  { event, message = (_, made) => toMessage(made) }: Recipe,
  type: string,
  subject: Subject,
  scene: Scene & { readonly id?: string } = {},
): Message {
  const made = message(type, event(type, subject, scene))
  return scene.id === undefined ? made : { ...made, id: scene.id }
}

function storyOf(recipe: Recipe): Story {
  const { traits, prefix, event, booking, before, unlisted } = recipe
  const newest: Recipe = {
    ...recipe,
    event: (type, subject, scene) => ({ ...event(type, subject, scene), trace_id: 'a1' }),
  }
  return {
    ...traits,
    subject: () => subjectOf(randomId(prefix)),
    booking: (subject, scene) => messageOf(recipe, booking, subject, scene),
    newer: (subject, scene) => messageOf(newest, booking, subject, scene),
    ...(before && { before: (subject, scene) => messageOf(recipe, before, subject, scene) }),
    ...(unlisted && { unlisted: (subject, scene) => messageOf(recipe, unlisted, subject, scene) }),
  }
}

export const stripeRecipe: Recipe = {
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
}

export const standardWebhooksRecipe: Recipe = {
  traits: { scheme: standardWebhooks, signsTwice: true },
  prefix: 'inv',
  event(type, { id, orderId }, { occurredAt = now() }) {
    const timestamp = new Date(occurredAt * 1000).toISOString()
    return { ...standardWebhooksEvent(type, { id, order_id: orderId }), timestamp }
  },
  booking: 'invoice.paid',
  before: 'invoice.confirming',
  unlisted: 'invoice.amount_adjusted',
}

export const githubRecipe: Recipe = {
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
}

export const metaRecipe: Recipe = {
  traits: { scheme: meta },
  prefix: 'wamid',
  event: (_, { id }) => metaEvent([id]),
  message: (type, event) => toMessage(event, { type }),
  types: ['messages'],
  booking: 'messages',
}

/** Payment intents of Stripe: `payment_intent.succeeded` books. */
export const stripeStory: Story = /* @__PURE__ */ storyOf(stripeRecipe)

/** Invoices in the form that Standard Webhooks recommends: `invoice.paid` books. */
export const standardWebhooksStory: Story = /* @__PURE__ */ storyOf(standardWebhooksRecipe)

/** Releases of GitHub: `release` books. */
export const githubStory: Story = /* @__PURE__ */ storyOf(githubRecipe)

/** Messages of WhatsApp, each of which is worked on once. */
export const metaStory: Story = /* @__PURE__ */ storyOf(metaRecipe)
