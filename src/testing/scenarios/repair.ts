import { type Diagnosis, ProofFailure, type Scenario } from '../scenario.ts'
import { BY_HAND, GUARD } from './diagnoses.ts'
import { expectEffects, expectSuccess, statuses } from './expect.ts'
import { guards } from './probes.ts'

const HAND_FAILED: Diagnosis = {
  cause: 'bookByHand booked nothing that observe counts',
  fix: 'let both look at the same table',
}
const NOTHING_GUARDS: Diagnosis = {
  fault: 'guard',
  fix: GUARD,
  cause:
    'support had booked it by hand, and the resend booked it again: nothing stops a second booking of the same resource',
}
const UNBOOKED: Diagnosis = {
  cause: 'the resend took back what was booked by hand',
  fix: 'where the guard finds it booked, change nothing and answer 200',
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
    stage.step(subject, 'booked by hand')
    await settings.bookByHand?.(subject.id, subject)
    const [byHand] = await stage.settled([subject], 1)
    if (byHand?.effects !== 1) {
      throw new ProofFailure(`effects ${byHand?.effects} by hand`, HAND_FAILED, subject)
    }
    const before = sender.attempts().length
    stage.step(subject, 'resent by hand')
    await expectSuccess(stage, subject, await sender.resend(message.id))
    await expectEffects(stage, [subject], 1, {
      none: UNBOOKED,
      more: async () => ((await guards(stage)) ? BY_HAND : NOTHING_GUARDS),
    })
    const resent = statuses(sender.attempts().slice(before))
    const ladder = stage.mode === 'real' ? ' · the ladder was not waited out' : ''
    return `failed, booked by hand, resent: ${resent} · effects 1${ladder}`
  },
}
