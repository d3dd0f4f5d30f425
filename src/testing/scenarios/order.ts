import type { Message } from '../message.ts'
import { shuffled } from '../random.ts'
import { type Diagnosis, ProofFailure, type Scenario, type Seen } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { expectDelivered, expectEffects, NO_GUARD, NOTHING_BOOKED } from './expect.ts'

const BOOKS_EARLY: Diagnosis = {
  cause: 'an event that is not final books',
  fix: 'book for the types that mean paid alone, and look at is_final',
}
const DROPPED: Diagnosis = {
  cause: 'the booking event is taken for a duplicate of an earlier one about the same resource',
  fix: 'dedupe by the event id, never by the resource id',
}
const REGRESSED: Diagnosis = {
  cause: 'an older event that comes late overwrites what a newer one said',
  fix: 'compare final, occurred_at and the rank of the status, in this order, in the statement that writes',
}

export const before: Scenario = {
  id: 'before-booking',
  title: 'an earlier event, then the one that books',
  fits: ({ story }) => story.before !== undefined,
  async run(stage) {
    const { story } = stage.settings
    const subject = await stage.subject()
    await expectDelivered(stage, subject, stage.tell(subject, story.before))
    await expectEffects(stage, [subject], 0, { none: BOOKS_EARLY, more: BOOKS_EARLY })
    await expectDelivered(stage, subject, stage.booking(subject))
    await expectEffects(stage, [subject], 1, { none: DROPPED, more: NO_GUARD })
    return 'effects 0→0→1'
  },
}

export const after: Scenario = {
  id: 'after-booking',
  title: 'an earlier event that comes late',
  fits: ({ story }) => story.before !== undefined,
  async run(stage) {
    const { story } = stage.settings
    const subject = await stage.subject()
    const late = stage.tell(subject, story.before, { occurredAt: stage.signingTime() - 120 })
    await expectDelivered(stage, subject, stage.booking(subject))
    const meaning = { none: NOTHING_BOOKED, more: NO_GUARD }
    const [booked] = await expectEffects(stage, [subject], 1, meaning)
    await expectDelivered(stage, subject, late)
    const [seen] = await expectEffects(stage, [subject], 1, { none: REGRESSED, more: NO_GUARD })
    if (JSON.stringify(seen) !== JSON.stringify(booked)) {
      throw new ProofFailure('the observed state went back', REGRESSED, subject)
    }
    return 'effects 1 · unchanged'
  },
}

const LOST_IN_ORDER: Diagnosis = {
  cause:
    'in this order the event that books was taken for a duplicate, or for older than what is known',
  fix: 'dedupe by the event id; whatever is known of a resource, an event that means paid books it if nothing has',
}

/** So many orders that any four events are tried in each. */
const MOST_ORDERS = 24

export const permutations: Scenario = {
  id: 'any-order',
  title: 'one life in any order',
  fits: ({ story }) => story.lifecycle !== undefined,
  async run(stage) {
    const { story } = stage.settings
    const subjects: Subject[] = []
    let orders = 0
    for (const order of ordersOf(
      story.lifecycle?.(await stage.subject()).length ?? 0,
      stage.random,
    )) {
      const subject = await stage.subject()
      const events = story.lifecycle?.(subject, { occurredAt: stage.signingTime() }) ?? []
      subjects.push(subject)
      orders++
      for (const index of order) {
        await expectDelivered(stage, subject, stage.about(subject, events[index] as Message))
      }
    }
    // The state may follow the booking.
    await stage.settled(subjects, 1, (seen) => seen.every((one) => isSameState(one, seen[0])))
    const meaning = { none: LOST_IN_ORDER, more: NO_GUARD }
    const [inOrder, ...others] = await expectEffects(stage, subjects, 1, meaning)
    for (const [index, other] of others.entries()) {
      if (isSameState(other, inOrder)) continue
      throw new ProofFailure('the state depends on the order', REGRESSED, subjects[index + 1])
    }
    return `${orders} orders · effects 1 and one state`
  },
}

function isSameState(a: Seen, b: Seen | undefined): boolean {
  return JSON.stringify(a.state) === JSON.stringify(b?.state)
}

/** The order itself first, then others by chance, none twice. */
function ordersOf(length: number, random: () => number): number[][] {
  const straight = Array.from({ length }, (_, index) => index)
  const orders = permute(straight).slice(1)
  return [straight, ...shuffled(orders, random).slice(0, MOST_ORDERS - 1)]
}

function permute(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item) =>
    permute(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  )
}

export const deposits: Scenario = {
  id: 'deposits',
  title: 'advisory events of a deposit',
  isOptional: true,
  fits: ({ story }) => story.deposit !== undefined,
  async run(stage) {
    const { deposit } = stage.settings.story
    if (deposit === undefined) return ''
    const subject = await stage.subject(deposit.subject)
    const advise = async (effects: number) => {
      for (const make of deposit.advisory) {
        await expectDelivered(stage, subject, stage.tell(subject, make))
      }
      await expectEffects(stage, [subject], effects, { none: REGRESSED, more: BOOKS_EARLY })
    }
    await advise(0)
    await expectDelivered(stage, subject, stage.tell(subject, deposit.booking))
    await expectEffects(stage, [subject], 1, { none: DROPPED, more: NO_GUARD })
    await advise(1)
    return 'effects 0→1→1'
  },
}
