import type { Message } from '../message.ts'
import type { Diagnosis, Scenario, Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { BOOKED_AGAIN, CHECK_THEN_ACT, CHECK_THEN_ANSWER } from './diagnoses.ts'
import { expectDelivered, expectEffects, statuses } from './expect.ts'
import { whileHeld } from './gate.ts'
import { remembers } from './probes.ts'

const MINUTE = 60_000
const COPIES = 3

interface Held {
  readonly shown: string
  /** Whether it answered while its work was held; unknown without a gate. */
  readonly answers: boolean
}

export const overlap: Scenario = {
  id: 'P3',
  title: 'retry meets the running first run',
  async run(stage) {
    const { shown, answers } = await heldRun(stage)
    const rounds = await parallelRounds(stage, answers)
    return `${shown} · ${COPIES} copies at the same time, ${rounds} rounds (probabilistic)`
  },
}

/** The first run is held at the gate while the sender gives up and tries again. */
async function heldRun(stage: Stage): Promise<Held> {
  if (stage.settings.gate?.hold === undefined) {
    return { shown: 'no gate, nothing held', answers: false }
  }
  const { sender } = stage
  const subject = await stage.subject()
  const message = stage.booking(subject)
  const { sent, expectArrival } = await whileHeld(stage, subject, async ({ arrived }) => {
    const first = await sender.send(message, { fault: 'hang' })
    await arrived()
    await sender.wait(MINUTE)
    return [first, await sender.send(message, { fault: 'hang' })]
  })
  if (sent.at(-1)?.outcome !== 'delivered') await expectDelivered(stage, subject, message)
  const answers = sent.some(({ outcome }) => outcome === 'delivered')
  await expectEffects(stage, [subject], 1, { more: () => whyAgain(stage, answers) })
  expectArrival()
  return { shown: `held: ${statuses(sent)} · effects 1`, answers }
}

/** A copy at the same time was worked on; was it for the time alone? */
async function whyAgain(stage: Stage, answers: boolean): Promise<Diagnosis> {
  if (!(await remembers(stage))) return BOOKED_AGAIN
  return answers ? CHECK_THEN_ANSWER : CHECK_THEN_ACT
}

async function parallelRounds(stage: Stage, answers: boolean): Promise<number> {
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
  await expectEffects(stage, subjects, 1, {
    more: () => whyAgain(stage, answers),
    each: 'rounds',
  })
  return settings.rounds
}
