import type { Message } from '../message.ts'
import type { Diagnosis, Scenario, Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { GUARD, NO_GUARD } from './diagnoses.ts'
import { expectDelivered, expectEffects } from './expect.ts'
import { whileHeld } from './gate.ts'
import { guards } from './probes.ts'

const READ_THEN_WRITE: Diagnosis = {
  fault: 'guard',
  cause:
    'the guard at the booking stops a second event that comes later, and not one that comes at the same time: it reads and writes in two steps',
  fix: GUARD,
}

export const endpoints: Scenario = {
  id: 'two-endpoints',
  title: 'two endpoints, one payment',
  async run(stage) {
    const subject = await stage.subject()
    for (const message of pair(stage, subject)) {
      await expectDelivered(stage, subject, message)
      await expectEffects(stage, [subject], 1)
    }
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
    await expectEffects(stage, subjects, 1, { more: () => unguarded(stage), each: 'rounds' })
    return `${isHeld ? 'held together · ' : ''}${rounds} rounds (probabilistic) · effects 1`
  },
}

async function unguarded(stage: Stage): Promise<Diagnosis> {
  return (await guards(stage)) ? READ_THEN_WRITE : NO_GUARD
}

function pair(stage: Stage, subject: Subject): Message[] {
  return [stage.booking(subject), stage.booking(subject)]
}

/** Both are at the gate before either goes on. */
async function heldPair(stage: Stage): Promise<void> {
  const subject = await stage.subject()
  const messages = pair(stage, subject)
  const { expectArrival } = await whileHeld(stage, subject, async ({ arrived }) => {
    await Promise.all(messages.map((message) => stage.sender.send(message, { fault: 'hang' })))
    await arrived()
  })
  for (const message of messages) await expectDelivered(stage, subject, message)
  await expectEffects(stage, [subject], 1, { more: () => unguarded(stage) })
  expectArrival()
}
