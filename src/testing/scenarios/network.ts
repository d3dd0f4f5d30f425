import { type Diagnosis, ProofFailure, type Scenario } from '../scenario.ts'
import type { Subject } from '../story.ts'
import {
  answered,
  expectAccepted,
  expectDelivered,
  expectEffects,
  statuses,
  unlessShared,
} from './expect.ts'
import { whileHeld } from './gate.ts'

const FIRST_CHUNK: Diagnosis = {
  cause: 'the body is taken for complete after its first piece',
  fix: 'read to the end of the stream before verifying',
}
const HALF_BODY: Diagnosis = {
  cause: 'a body that broke off is accepted',
  fix: 'verify what arrived, and refuse what is shorter than it said',
}
const NOT_ALIVE: Diagnosis = {
  cause: 'the receiver does not survive a connection that breaks off',
  fix: 'handle errors of the request stream',
}
const DROPPED: Diagnosis = {
  cause: 'under load deliveries are acknowledged and then dropped',
  fix: 'keep the queue in a table, or answer 503 when it is full: the sender comes again',
}
const WORKS_FIRST: Diagnosis = {
  cause: 'the answer waits for the work, so slow work is a time-out and a repeat',
  fix: 'store the delivery, answer, and work on it afterwards',
}

export const slowBody: Scenario = {
  id: 'slow-body',
  title: 'the body comes in pieces',
  async run(stage) {
    const subject = await stage.subject()
    const attempt = await stage.sender.send(stage.booking(subject), { fault: 'slowBody' })
    expectAccepted(attempt, subject, FIRST_CHUNK)
    await expectEffects(stage, [subject], 1)
    return `${attempt.status} · effects 1`
  },
}

export const cutBody: Scenario = {
  id: 'cut-body',
  title: 'the connection breaks off',
  async run(stage) {
    const { sender } = stage
    const subject = await stage.subject()
    const message = stage.booking(subject)
    const cut = await sender.send(message, { fault: 'cutSocket' })
    if (cut.outcome === 'delivered') throw new ProofFailure(answered(cut), HALF_BODY, subject)
    const whole = await sender.send(message)
    if (whole.outcome !== 'delivered') {
      throw new ProofFailure(answered(whole), NOT_ALIVE, subject)
    }
    await expectEffects(stage, [subject], 1)
    return `${statuses([cut, whole])} · effects 1`
  },
}

const PER_SECOND = 500
const BURST = 50

export const burst: Scenario = {
  id: 'burst',
  title: 'a burst of deliveries',
  async run(stage) {
    const subjects: Subject[] = []
    for (let sent = 0; sent < BURST; sent++) subjects.push(await stage.subject())
    const messages = subjects.map((subject) => stage.booking(subject))
    const records = await stage.sender.burst(messages, { perSecond: PER_SECOND })
    for (const [index, { status }] of records.entries()) {
      const subject = subjects[index] as Subject
      if (status === 'failed') await expectDelivered(stage, subject, messages[index] as never)
    }
    await expectEffects(stage, subjects, 1, {
      none: () => unlessShared(stage, DROPPED),
    })
    const attempts = stage.sender.attempts().length
    return `${BURST} events at ${PER_SECOND}/s, ${attempts} attempts · effects 1 each`
  },
}

export const answersFirst: Scenario = {
  id: 'answers-first',
  title: 'answers while its work hangs',
  isOptional: true,
  unshown: ({ gate }) => (gate?.hold ? undefined : 'no gate given'),
  async run(stage) {
    const subject = await stage.subject()
    const message = stage.booking(subject)
    const { sent: attempt, expectArrival } = await whileHeld(
      stage,
      subject,
      async ({ arrived }) => {
        const sent = await stage.sender.send(message, { fault: 'hang' })
        await arrived()
        return sent
      },
    )
    expectAccepted(attempt, subject, WORKS_FIRST)
    await expectEffects(stage, [subject], 1)
    expectArrival()
    return `${attempt.status} in ${attempt.durationMs} ms · effects 1`
  },
}
