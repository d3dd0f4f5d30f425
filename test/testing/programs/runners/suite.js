// The proofs of one receiver, for whatever test runner passes its functions. With FAULT set it books
// every delivery; bookByHand is left out, so P4 cannot be shown.
import { webhook } from '../../../../dist/adapters/fetch.js'
import { proofs, replayKit } from '../../../../dist/testing/index.js'

const secret = 'whsec_test_for_the_self_test'
const fault = globalThis.process?.env.FAULT
const effects = new Map()

const target = webhook({ secret }, ({ event, delivery }) => {
  if (event.event_type !== 'invoice.paid') return
  const booked = effects.get(delivery.resource.id) ?? 0
  if (fault || booked === 0) effects.set(delivery.resource.id, booked + 1)
})

export function define(functions) {
  const observe = (id) => effects.get(id) ?? 0
  const without = ['work-fails-once', 'crash', 'acknowledged-in-flight']
  proofs(functions, replayKit({ target, secret, observe, settle: () => {}, without, seed: 7 }))
}
