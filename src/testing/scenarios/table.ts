import { type Diagnosis, ProofFailure, type Scenario } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { TAKEN_FOR_REPEAT } from './diagnoses.ts'
import { expectDelivered, expectEffects, unlessShared } from './expect.ts'

const PAID = 12
const EARLIER_SECONDS = 30

const FROM_NOWHERE: Diagnosis = {
  cause: 'a resource is booked about which nothing was sent',
  fix: 'see what books it; the resource id of the signed body must decide',
}
const BLIND: Diagnosis = {
  cause: 'the comparison does not find exactly what is wrong',
  fix: 'compare every resource that the API calls paid with your own table, in both directions',
}

/** Twelve are paid: one is never sent, one goes to two endpoints, one has an event before. */
export const table: Scenario = {
  id: 'P5',
  title: 'table against what was paid',
  async run(stage) {
    const { sender, settings } = stage
    const { story, reconcile } = settings
    const subjects: Subject[] = []
    for (let paid = 0; paid < PAID; paid++) subjects.push(await stage.subject())
    const [withheld, twice, late, ...others] = subjects as [Subject, Subject, Subject, ...Subject[]]
    if (story.before) {
      const occurredAt = stage.signingTime() - EARLIER_SECONDS
      await expectDelivered(stage, late, stage.tell(late, story.before, { occurredAt }))
      await stage.settled([late], 0)
    }
    for (const subject of [twice, late, ...others]) {
      await expectDelivered(stage, subject, stage.booking(subject))
    }
    await expectEffects(stage, [twice, ...others], 1)
    const ignored = story.before && { none: () => unlessShared(stage, TAKEN_FOR_REPEAT) }
    await expectEffects(stage, [late], 1, ignored)
    await expectDelivered(stage, twice, stage.booking(twice))
    await expectEffects(stage, [twice], 1)
    const { effects } = await stage.see(withheld)
    if (effects !== 0)
      throw new ProofFailure(`effects ${effects}, never sent`, FROM_NOWHERE, withheld)
    if (reconcile) {
      const { missing, double } = await reconcile(subjects.map(({ id }) => id))
      if (missing.length !== 1 || missing[0] !== withheld.id || double.length > 0) {
        const seen = `reconcile finds ${missing.length} missing and ${double.length} double, expected 1 and 0`
        throw new ProofFailure(seen, BLIND, withheld)
      }
    }
    const found = reconcile ? 'found by reconcile' : 'found'
    const attempts = sender.attempts().length
    return `${PAID} paid, ${attempts} deliveries · 1 withheld, ${found} · 0 double`
  },
}
