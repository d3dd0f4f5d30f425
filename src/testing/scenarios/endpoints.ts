import type { Message } from '../message.ts'
import type { Diagnosis, Scenario, Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { expectDelivered, expectEffects, NOTHING_BOOKED } from './expect.ts'
import { whileHeld } from './gate.ts'

const BY_EVENT: Diagnosis = {
  cause: 'the booking is keyed by the event id, and each endpoint gets an id of its own',
  fix: 'guard the booking by the resource id of the signed body, under a unique key',
}
const READ_THEN_WRITE: Diagnosis = {
  cause:
    'two events about one resource pass together: the booking has no guard, or one that reads and writes in two steps',
  fix: 'let one statement decide: insert under a unique key, or update … where not yet booked, and look at the count',
}

export const endpoints: Scenario = {
  id: 'two-endpoints',
  title: 'two endpoints, one payment',
  async run(stage) {
    const subject = await stage.subject()
    for (const message of pair(stage, subject)) await expectDelivered(stage, subject, message)
    await expectEffects(stage, [subject], 1, { none: NOTHING_BOOKED, more: BY_EVENT })
    return '2 event ids · effects 1'
  },
}

export const endpointsTogether: Scenario = {
  id: 'two-endpoints-together',
  title: 'two endpoints at the same time',
  async run(stage) {
    const isHeld = stage.settings.gate?.hold !== undefined
    if (isHeld) await heldPair(stage)
    const subjects: Subject[] = []
    const rounds = Math.ceil(stage.settings.rounds / 4)
    for (let round = 0; round < rounds; round++) {
      const subject = await stage.subject()
      subjects.push(subject)
      const messages = pair(stage, subject)
      await Promise.all(messages.map((message) => stage.sender.send(message)))
      for (const message of messages) await expectDelivered(stage, subject, message)
    }
    await expectEffects(stage, subjects, 1, { none: NOTHING_BOOKED, more: READ_THEN_WRITE })
    return `${isHeld ? 'held together · ' : ''}${rounds} rounds (probabilistic) · effects 1`
  },
}

function pair(stage: Stage, subject: Subject): Message[] {
  return [stage.booking(subject), stage.booking(subject)]
}

/** Both are at the gate before either goes on. */
async function heldPair(stage: Stage): Promise<void> {
  const subject = await stage.subject()
  const messages = pair(stage, subject)
  const { expectArrival } = await whileHeld(stage, async ({ arrived }) => {
    await Promise.all(messages.map((message) => stage.sender.send(message, { fault: 'hang' })))
    await arrived()
  })
  for (const message of messages) await expectDelivered(stage, subject, message)
  await expectEffects(stage, [subject], 1, { none: NOTHING_BOOKED, more: READ_THEN_WRITE })
  expectArrival()
}
