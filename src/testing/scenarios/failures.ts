import { NotShown, type Scenario, type Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { ANSWERS_BEFORE_WORK, ID_FIRST, SWALLOWED } from './diagnoses.ts'
import { expectDelivered, expectEffects, expectSuccess, statuses, unlessShared } from './expect.ts'
import { watchGate } from './gate.ts'
import { patience } from './patience.ts'
import { answersWhileHeld } from './probes.ts'

const MINUTE = 60_000

export const failsOnce: Scenario = {
  id: 'work-fails-once',
  title: 'the work fails once',
  unshown: ({ gate }) => (gate?.failOnce ? undefined : 'no gate with failOnce given'),
  async run(stage) {
    const subject = await stage.subject()
    const message = stage.booking(subject)
    stage.step(subject, 'the next work will fail')
    await stage.settings.gate?.failOnce?.()
    const failing = watchGate(stage)
    const { attempts } = await expectDelivered(stage, subject, message)
    await patience(stage, subject)
    const lost = async () => {
      if (attempts.length > 1) return ID_FIRST
      return (await answersWhileHeld(stage)) ? ANSWERS_BEFORE_WORK : SWALLOWED
    }
    await expectEffects(stage, [subject], 1, { none: () => unlessShared(stage, lost) })
    await failing.arrived()
    failing.expectArrival()
    const note = attempts.length > 1 ? '' : await behindAnswer(stage, subject)
    return `${statuses(attempts)} · effects 1${note}`
  },
}

/** The first attempt was answered 2xx: that says nothing of work that comes behind the answer. */
async function behindAnswer(stage: Stage, { id }: Subject): Promise<string> {
  const { gate, started } = stage.settings
  if (gate?.arrived || ((await started?.(id)) ?? 0) > 1) return ''
  if (await answersWhileHeld(stage)) return ' · answered before its work'
  throw new NotShown(
    'the first attempt was answered 2xx, so that nothing shows that its work failed; does it meet the gate?',
  )
}

export const lostAnswers: Scenario = {
  id: 'lost-answers',
  title: 'ten answers are lost',
  isLong: true,
  async run(stage) {
    const subject = await stage.subject()
    const message = stage.booking(subject)
    await stage.sender.send(message, { fault: 'lostResponse' })
    // Work that goes on meanwhile is P3; here it is over when the next attempt comes.
    await stage.settled([subject], 1)
    await stage.sender.wait(MINUTE)
    const faults = (attempt: number) => (attempt < 10 ? 'lostResponse' : undefined)
    const { attempts } = await expectDelivered(stage, subject, message, faults)
    await expectEffects(stage, [subject], 1)
    return `${attempts.length} attempts · effects 1`
  },
}

export const shortOutage: Scenario = {
  id: 'outage-5-min',
  title: 'down for five minutes',
  isLong: true,
  async run(stage) {
    const subjects = [await stage.subject(), await stage.subject()]
    const messages = subjects.map((subject) => stage.booking(subject))
    const faults = (attempt: number) => (attempt <= 3 ? 'refuse' : undefined)
    const records = await stage.sender.deliverAll(messages, { faults })
    await expectEffects(stage, subjects, 1)
    return `delivered at attempt ${records.map(({ attempts }) => attempts.length).join(' and ')}`
  },
}

export const longOutage: Scenario = {
  id: 'outage-17-h',
  title: 'down for 17 hours, then resent by hand',
  isLong: true,
  async run(stage) {
    const { sender } = stage
    const subject = await stage.subject()
    const message = stage.booking(subject)
    const { status, attempts } = await sender.deliver(message, { faults: () => 'lostRequest' })
    stage.step(subject, 'resent by hand')
    const resent = await sender.resend(message.id)
    await expectSuccess(stage, subject, resent)
    await expectEffects(stage, [subject], 1)
    return `${status} after ${attempts.length} attempts · resent · effects 1`
  },
}
