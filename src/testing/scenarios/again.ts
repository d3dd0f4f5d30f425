import type { Attempt } from '../attempt.ts'
import { type Diagnosis, ProofFailure, type Scenario } from '../scenario.ts'
import { BOOKED_AGAIN, EVENT_TIME, NOT_2XX, ONE_TRANSACTION } from './diagnoses.ts'
import { answered, expectAccepted, expectEffects, statuses } from './expect.ts'
import { takesOld } from './probes.ts'

const HOURS_16 = 57_600_000

const FORGOTTEN: Diagnosis = {
  fault: 'memory',
  cause:
    'the id is forgotten before the sender is done: its ladder takes 16 hours, a resend by hand longer',
  fix: 'keep the id for as long as events can be resent; a table row costs little',
}
const TOUCHED: Diagnosis = {
  cause: 'a repeat changes what is stored',
  fix: 'find the id before any write, answer 200 and stop',
}
const BEGUN_AGAIN: Diagnosis = {
  fault: 'memory',
  cause:
    'work on a repeat begins again, since nothing remembers its event id; only the guard at the booking stopped it',
  fix: ONE_TRANSACTION,
}

export const again: Scenario = {
  id: 'P2',
  title: 'same delivery again, and after 16 h',
  async run(stage) {
    const { sender, settings } = stage
    const subject = await stage.subject()
    const message = stage.booking(subject)
    const count = async () => settings.started?.(subject.id)
    expectAccepted(await sender.send(message), subject)
    const [before] = await expectEffects(stage, [subject], 1)
    const startedBefore = await count()

    const repeats: Attempt[] = []
    const repeat = async (more: Diagnosis, refused = async () => NOT_2XX) => {
      const attempt = await sender.send(message)
      if (attempt.outcome !== 'delivered') {
        throw new ProofFailure(answered(attempt), await refused(), subject)
      }
      repeats.push(attempt)
      const [after] = await expectEffects(stage, [subject], 1, { none: TOUCHED, more })
      if (JSON.stringify(after) !== JSON.stringify(before)) {
        throw new ProofFailure('the observed state changed', TOUCHED, subject)
      }
    }
    await repeat(BOOKED_AGAIN)
    await repeat(BOOKED_AGAIN)
    const isLong = stage.mode !== 'real'
    if (isLong) {
      await sender.wait(HOURS_16)
      // The receiver's clock knows of the 16 hours only if both share it.
      await repeat(stage.mode === 'virtual' ? FORGOTTEN : BOOKED_AGAIN, async () =>
        (await takesOld(stage)) ? NOT_2XX : EVENT_TIME,
      )
    }
    const startedAfter = await count()
    if (startedAfter !== startedBefore) {
      const seen = `work began ${startedAfter} times, expected ${startedBefore}`
      throw new ProofFailure(seen, BEGUN_AGAIN, subject)
    }
    const clock = {
      virtual: '+16 h on both clocks',
      skip: "+16 h on the sender's clock",
      real: 'no 16 h',
    }
    return `${statuses(repeats)} · unchanged · ${clock[stage.mode]}`
  },
}
