import { type Diagnosis, ProofFailure, type Scenario } from '../scenario.ts'
import { expectDelivered, expectEffects, statuses } from './expect.ts'

const HAND_FAILED: Diagnosis = {
  cause: 'bookByHand booked nothing that observe counts',
  fix: 'let both look at the same table',
}

const BOOKED_TWICE: Diagnosis = {
  cause:
    'support had booked it by hand, and the resend booked it again: nothing guards the booking itself',
  fix: 'in the transaction that books, mark the resource as booked under a unique key, or with a conditional update',
}

export const repair: Scenario = {
  id: 'P4',
  title: 'resend after repair',
  unshown: ({ bookByHand }) => (bookByHand ? undefined : 'no bookByHand given'),
  async run(stage) {
    const { sender, settings } = stage
    const subject = await stage.subject()
    const message = stage.booking(subject)
    await sender.deliver(message, { faults: () => 'refuse' })
    await settings.bookByHand?.(subject.id, subject)
    const [byHand] = await stage.settled([subject], 1)
    if (byHand?.effects !== 1) {
      throw new ProofFailure(`effects ${byHand?.effects} by hand`, HAND_FAILED, subject)
    }
    const before = sender.attempts().length
    const { status } = await sender.resend(message.id)
    if (status === 'failed') await expectDelivered(stage, subject, message)
    await expectEffects(stage, [subject], 1, { none: HAND_FAILED, more: BOOKED_TWICE })
    return `failed, booked by hand, resent: ${statuses(sender.attempts().slice(before))} · effects 1`
  },
}
