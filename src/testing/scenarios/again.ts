import type { Attempt } from '../attempt.ts'
import { type Diagnosis, ProofFailure, type Scenario } from '../scenario.ts'
import {
  answered,
  BOOKED_AGAIN,
  expectAccepted,
  expectEffects,
  NOTHING_BOOKED,
  statuses,
} from './expect.ts'

const HOURS_16 = 57_600_000

const NOT_2XX: Diagnosis = {
  cause:
    'a repeat is answered with an error, so the sender goes on for 16 hours and then calls it failed',
  fix: 'answer 200 for a delivery that is known',
}
const FORGOTTEN: Diagnosis = {
  cause:
    'the id is forgotten before the sender is done: its ladder takes 16 hours, a resend by hand longer',
  fix: 'keep the id for as long as events can be resent; a table row costs little',
}
const TOUCHED: Diagnosis = {
  cause: 'a repeat changes what is stored',
  fix: 'find the id before any write, answer 200 and stop',
}
const BEGUN_AGAIN: Diagnosis = {
  cause: 'work on a repeat begins again; only the guard at the booking stopped it',
  fix: 'put a unique key on the event id of the signed body, and insert before any work',
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
    const meaning = { none: NOTHING_BOOKED, more: BOOKED_AGAIN }
    const [before] = await expectEffects(stage, [subject], 1, meaning)
    const startedBefore = await count()

    const repeats: Attempt[] = []
    const repeat = async (more: Diagnosis) => {
      const attempt = await sender.send(message)
      if (attempt.outcome !== 'delivered')
        throw new ProofFailure(answered(attempt), NOT_2XX, subject)
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
      await repeat(FORGOTTEN)
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
