import { type Diagnosis, ProofFailure, type Scenario } from '../scenario.ts'
import { expectAccepted, expectEffects } from './expect.ts'

const COUNTED_BEFORE: Diagnosis = {
  cause: 'observe counts something for a resource that nobody has heard of',
  fix: 'make observe look at this one resource alone',
}

export const first: Scenario = {
  id: 'P1',
  title: 'first delivery books once',
  async run(stage) {
    const subject = await stage.subject()
    const { effects } = await stage.see(subject)
    if (effects !== 0) throw new ProofFailure(`effects ${effects} before`, COUNTED_BEFORE, subject)
    const attempt = await stage.sender.send(stage.booking(subject))
    expectAccepted(attempt, subject)
    await expectEffects(stage, [subject], 1)
    return `${attempt.status} in ${attempt.durationMs} ms · effects 0→1`
  },
}
