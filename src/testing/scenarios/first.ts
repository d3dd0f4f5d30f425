import type { Attempt } from '../attempt.ts'
import { type Diagnosis, ProofFailure, type Scenario, type Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { answered, expectAccepted, expectEffects, refusalOf } from './expect.ts'

const COUNTED_BEFORE: Diagnosis = {
  cause: 'observe counts something for a resource that nobody has heard of',
  fix: 'make observe look at this one resource alone',
  isSetUp: true,
}

/** What a receiver answers to another secret. */
const NOT_GENUINE = [400, 401, 403]

export const first: Scenario = {
  id: 'P1',
  title: 'first delivery books once',
  async run(stage) {
    const { subject, attempt } = await sendFirst(stage)
    expectAccepted(attempt, subject)
    await expectEffects(stage, [subject], 1)
    return `${attempt.status} in ${attempt.durationMs} ms · effects 0→1`
  },
}

interface First {
  readonly subject: Subject
  readonly attempt: Attempt
}

/** Fails only for what the set-up of the run is to blame for. */
async function sendFirst(stage: Stage): Promise<First> {
  const subject = await stage.subject()
  const { effects } = await stage.see(subject)
  if (effects !== 0) throw new ProofFailure(`effects ${effects} before`, COUNTED_BEFORE, subject)
  const attempt = await stage.sender.send(stage.booking(subject))
  if (attempt.outcome === 'refused' || NOT_GENUINE.includes(attempt.status ?? 0)) {
    throw new ProofFailure(answered(attempt), { ...refusalOf(attempt), isSetUp: true }, subject)
  }
  return { subject, attempt }
}

/** Where nothing is shown yet: one delivery, before many meet the same trouble. */
export async function checkSetUp(stage: Stage): Promise<string> {
  const { subject, attempt } = await sendFirst(stage)
  // So that its work meets nothing that comes.
  await stage.settled([subject], 1)
  return answered(attempt)
}
