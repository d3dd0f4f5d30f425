// Events know their data by their type; a kit takes any receiver, and what its owner can say of it.
import type { PaymosEventOf, SignedHeaders } from 'hookproof'
import { type StripeEvent, stripe } from 'hookproof/schemes/stripe'
import {
  type Attempt,
  childProcess,
  createClock,
  createGate,
  createSender,
  type fanOut,
  type Kit,
  type Message,
  paymosEvent,
  paymosStory,
  proofs,
  type Report,
  replayKit,
  type Story,
  signedDelivery,
  stripeEvent,
  toMessage,
} from 'hookproof/testing'

const paid = paymosEvent('invoice.paid', { data: { invoice_id: 'inv_1' }, occurred_at: 1 })
check<Equal<typeof paid, PaymosEventOf<'invoice.paid'>>>()
check<Equal<ReturnType<typeof fanOut<typeof paid>>, (typeof paid)[]>>()
// @ts-expect-error TS2345
paymosEvent('invoice.created')
// @ts-expect-error TS2353
paymosEvent('withdrawal.created', { data: { invoice_id: 'inv_1' } })

export async function deliver(): Promise<void> {
  const event: StripeEvent = stripeEvent('charge.succeeded', { id: 'ch_1' })
  const delivery = await signedDelivery({ event, secret: 'whsec_1', scheme: stripe })
  check<Equal<typeof delivery.headers, SignedHeaders>>()
  const sender = createSender({ target: 'http://127.0.0.1:3000/', secret: 'whsec_1', ladder: [1] })
  const message = toMessage(paid)
  check<Equal<typeof message, Message>>()
  check<Equal<Awaited<ReturnType<typeof sender.send>>, Attempt>>()
  const { status } = await sender.deliver(message, { faults: () => 'lostResponse' })
  check<Equal<typeof status, 'pending' | 'delivered' | 'failed'>>()
  // @ts-expect-error TS2322
  await sender.send(message, { fault: 'explode' })
}

const secret = 'whsec_1'
export const kit: Kit = replayKit({
  target: childProcess({ command: 'php', args: ['-S', '127.0.0.1:1'], url: /on (\S+)/u }),
  secret,
  observe: async (id, { orderId }) => ({ effects: id.length, state: orderId }),
  clock: createClock(),
  gate: createGate(),
  bookByHand: (id) => id,
})
// A gate in another process has what its owner can move.
replayKit({ target: '', secret, observe: () => 1, gate: { hold: async () => {}, release() {} } })
replayKit({ target: async () => ({ status: 204 }), secret, observe: () => 1 })
// @ts-expect-error TS2345
replayKit({ target: '', secret })
// @ts-expect-error TS2322
replayKit({ target: '', secret, observe: () => 'many' })
// @ts-expect-error TS2322
replayKit({ target: async () => 204, secret, observe: () => 1 })

export const story: Story = {
  scheme: stripe,
  subject: paymosStory.subject,
  booking: ({ id }) => toMessage(stripeEvent('payment_intent.succeeded', { id })),
}
export const report: Promise<Report> = kit.run(['P1'])

declare function describe(name: string, define: () => void): void
declare function it(name: string, run: () => Promise<void>, timeout?: number): void
proofs({ describe, it }, kit)
