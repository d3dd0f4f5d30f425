import type { Message } from '../message.ts'
import type { Diagnosis, Scenario, Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { expectDelivered, expectEffects, NOTHING_BOOKED, statuses } from './expect.ts'
import { whileHeld } from './gate.ts'

const MINUTE = 60_000
const COPIES = 3

const TWO_STEPS: Diagnosis = {
  cause: 'the id is looked up and stored in two steps, so copies at the same time all find nothing',
  fix: 'put a unique key on the event id, insert before any work, and let the insert decide',
}
const TOO_LATE: Diagnosis = {
  cause:
    'the work begins before the id is stored, so a retry meets a first run that is not over, and runs too',
  fix: 'store the id under a unique key, committed, before the work begins',
}

export const overlap: Scenario = {
  id: 'P3',
  title: 'retry meets the running first run',
  async run(stage) {
    const held = await heldRun(stage)
    const rounds = await parallelRounds(stage)
    return `${held} · ${COPIES} copies at the same time, ${rounds} rounds (probabilistic)`
  },
}

/** The first run is held at the gate while the sender gives up and tries again. */
async function heldRun(stage: Stage): Promise<string> {
  if (stage.settings.gate?.hold === undefined) return 'no gate, nothing held'
  const { sender } = stage
  const subject = await stage.subject()
  const message = stage.booking(subject)
  const { sent, expectArrival } = await whileHeld(stage, async ({ arrived }) => {
    const first = await sender.send(message, { fault: 'hang' })
    await arrived()
    await sender.wait(MINUTE)
    return [first, await sender.send(message, { fault: 'hang' })]
  })
  if (sent.at(-1)?.outcome !== 'delivered') await expectDelivered(stage, subject, message)
  await expectEffects(stage, [subject], 1, { none: NOTHING_BOOKED, more: TOO_LATE })
  expectArrival()
  return `held: ${statuses(sent)} · effects 1`
}

async function parallelRounds(stage: Stage): Promise<number> {
  const { settings, sender } = stage
  const subjects: Subject[] = []
  for (let round = 0; round < settings.rounds; round++) {
    const subject = await stage.subject()
    const message: Message = stage.booking(subject)
    subjects.push(subject)
    const attempts = await sender.sendCopies(message, COPIES)
    // A sender whose attempts all failed goes on.
    if (!attempts.some(({ outcome }) => outcome === 'delivered')) {
      await expectDelivered(stage, subject, message)
    }
  }
  await expectEffects(stage, subjects, 1, { none: NOTHING_BOOKED, more: TWO_STEPS })
  return settings.rounds
}
