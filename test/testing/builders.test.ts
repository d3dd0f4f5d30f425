import { createHmac } from 'node:crypto'
import { verify as verifyGitHub } from '@octokit/webhooks-methods'
import { verify } from 'hookproof'
import { github, meta, standardWebhooks, stripe } from 'hookproof/schemes'
import {
  fanOut,
  githubMessage,
  metaEvent,
  PAYMOS_EVENT_TYPES,
  paymosEvent,
  paymosStory,
  signedDelivery,
  standardWebhooksEvent,
  stripeEvent,
  toMessage,
} from 'hookproof/testing'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'

const secret = 'test_only_secret'

/** What the provider's documents say is always there: text, a whole number, a number, yes or no. */
const REQUIRED = {
  invoice: {
    text: ['invoice_id', 'project_id', 'status', 'payment_url'],
    integer: ['created_at', 'updated_at'],
    boolean: ['is_final', 'is_test'],
  },
  withdrawal: {
    text: [
      ...['withdrawal_id', 'external_order_id', 'status', 'amount', 'currency', 'network'],
      'destination_address',
    ],
    integer: ['created_at'],
    boolean: ['is_final', 'is_test'],
  },
  payment_channel: {
    text: [
      ...['id', 'payment_channel_id', 'project_id', 'payment_channel_external_id', 'status'],
      ...['currency', 'network', 'gross', 'fee', 'net', 'tx_hash', 'transfer_id'],
      'destination_address',
    ],
    integer: ['chain_id', 'block_height', 'created_at', 'updated_at'],
    boolean: ['is_final', 'is_test'],
  },
} as const

/** The documented statuses; there is none named processing. */
const STATUSES = {
  invoice:
    'awaiting_client awaiting_payment confirming underpaid_waiting paid paid_over underpaid expired cancelled',
  withdrawal: 'created pending_review signed cancelling completed failed cancelled',
  payment_channel: 'confirming reorged confirmed',
}
const FINAL = 'paid paid_over underpaid expired cancelled completed failed confirmed'.split(' ')

describe.each(PAYMOS_EVENT_TYPES)('%s', (type) => {
  const event = paymosEvent(type)
  const family = type.split('.')[0] as keyof typeof REQUIRED
  const data = event.data as Record<string, unknown>

  test('is accepted, and about a resource', async () => {
    const verdict = await verify(await signedDelivery({ event, secret }), { secret })
    expect(verdict).toMatchObject({
      ok: true,
      delivery: { type, id: event.event_id },
      warnings: [],
    })
    expect(verdict.ok && verdict.delivery.resource?.id).toMatch(/^(?:inv|wdr|pcd)_[\dA-Za-z]{22}$/u)
  })

  test('has the documented shape', () => {
    const { text, integer, boolean } = REQUIRED[family]
    expect(text.filter((name) => typeof data[name] !== 'string' || data[name] === '')).toEqual([])
    expect(integer.filter((name) => !Number.isSafeInteger(data[name]))).toEqual([])
    expect(boolean.filter((name) => typeof data[name] !== 'boolean')).toEqual([])
    expect(STATUSES[family].split(' ')).toContain(data.status)
    // The names of the other events are statuses, too.
    if (family !== 'withdrawal') expect(type.endsWith(`.${data.status}`)).toBe(true)
    expect(data.is_final).toBe(FINAL.includes(data.status as string))
    // Absent means that the key is missing; money is text.
    expect(JSON.stringify(event)).not.toMatch(/null|"(?:amount|paid|expected|net)":\d/u)
  })

  test('is new each time, but for what is given', () => {
    const other = paymosEvent(type, { event_id: 'evt_1', occurred_at: 5, version: 2 })
    expect(other).toMatchObject({ event_id: 'evt_1', event_type: type, occurred_at: 5, version: 2 })
    expect(paymosEvent(type).event_id).not.toBe(paymosEvent(type).event_id)
  })
})

test('there are the 16 documented types', () => {
  expect(PAYMOS_EVENT_TYPES).toHaveLength(16)
})

test('data that is given is merged', () => {
  const { data } = paymosEvent('invoice.paid', { data: { invoice_id: 'inv_1' } })
  expect(data).toMatchObject({ invoice_id: 'inv_1', status: 'paid' })
})

test('endpoints get ids of their own, and one resource', () => {
  const event = paymosEvent('invoice.paid')
  const events = fanOut(event, 3)
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(3)
  expect(events.every(({ data }) => data === event.data)).toBe(true)
})

test('a story tells of one resource, by events with ids of their own', () => {
  const subject = paymosStory.subject()
  const messages = [...(paymosStory.lifecycle?.(subject) ?? []), paymosStory.booking(subject)]
  const events = messages.map(({ body }) => JSON.parse(Buffer.from(body).toString()))
  expect(new Set(events.map(({ data }) => data.invoice_id))).toEqual(new Set([subject.id]))
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(messages.length)
  expect(new Set(events.map(({ data }) => data.order.external_id))).toEqual(
    new Set([subject.orderId]),
  )
})

describe('a delivery of another scheme', () => {
  test('Stripe', async () => {
    const event = stripeEvent('checkout.session.completed', { id: 'cs_1', amount_total: 500 })
    const { headers, body } = await signedDelivery({ event, secret, scheme: stripe })
    const read = new Stripe('sk_test_1').webhooks.constructEvent(
      Buffer.from(body),
      headers['Stripe-Signature'] as string,
      secret,
    )
    expect(read).toMatchObject({
      type: 'checkout.session.completed',
      data: { object: { id: 'cs_1', object: 'checkout.session', amount_total: 500 } },
    })
  })

  test('Standard Webhooks', async () => {
    const key = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const event = standardWebhooksEvent('user.created', { id: 'usr_1' })
    const delivery = await signedDelivery({
      event,
      secret: key,
      scheme: standardWebhooks,
      id: 'msg_1',
    })
    const read = new Webhook(key).verify(Buffer.from(delivery.body), { ...delivery.headers })
    expect(read).toEqual(event)
    expect(delivery.headers['webhook-id']).toBe('msg_1')
  })

  test('GitHub', async () => {
    const { body, headers, id } = githubMessage('push', { ref: 'refs/heads/main' })
    const event = JSON.parse(Buffer.from(body).toString())
    const signed = await signedDelivery({ event, secret, scheme: github, id, headers })
    const text = Buffer.from(signed.body).toString()
    expect(await verifyGitHub(secret, text, String(signed.headers['X-Hub-Signature-256']))).toBe(
      true,
    )
    expect(signed.headers).toMatchObject({ 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': id })
  })

  test('Meta', async () => {
    const event = metaEvent(['wamid.1', 'wamid.2'])
    const delivery = await signedDelivery({ event, secret, scheme: meta })
    const mac = createHmac('sha256', secret).update(delivery.body).digest('hex')
    expect(delivery.headers['X-Hub-Signature-256']).toBe(`sha256=${mac}`)
    const verdict = await verify(delivery, { secret, scheme: meta })
    expect(verdict.ok && verdict.delivery.items).toEqual(['wamid.1', 'wamid.2'])
  })
})

test('a message has the id and the type that the event says, or that are given, or a new id', () => {
  expect(toMessage({ event_id: 'evt_1', event_type: 'a' })).toMatchObject({
    id: 'evt_1',
    type: 'a',
  })
  expect(toMessage({ id: 'evt_2', type: 'b' })).toMatchObject({ id: 'evt_2', type: 'b' })
  expect(toMessage({ id: 'evt_2' }, { id: 'evt_3', type: 'c' })).toMatchObject({
    id: 'evt_3',
    type: 'c',
  })
  expect(toMessage({ data: 1 }).id).toMatch(/^msg_/u)
})
