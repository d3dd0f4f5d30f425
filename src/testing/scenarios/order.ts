import type { Message } from '../message.ts'
import { shuffled } from '../random.ts'
import { type Diagnosis, ProofFailure, type Scenario, type Seen, type Stage } from '../scenario.ts'
import type { Story, Subject } from '../story.ts'
import { BOOKS_EARLY, NO_GUARD, RANK, REGRESSED, TAKEN_FOR_REPEAT } from './diagnoses.ts'
import { expectDelivered, expectEffects, unlessShared } from './expect.ts'

const PAID_BOOKS =
  'whatever is known of a resource, book it at an event that means paid, if nothing has; among events of one second let the final one win'
const NOT_NEWER: Diagnosis = {
  cause:
    'the event that books was acknowledged and ignored wherever one of the same second or newer had come before it: it is taken for old news',
  fix: PAID_BOOKS,
}
const LOST_IN_ORDER: Diagnosis = {
  cause: 'in some orders the event that books was acknowledged and ignored',
  fix: PAID_BOOKS,
}
const BY_TIME_ALONE: Diagnosis = {
  fault: 'regress',
  cause:
    'of two events of one second the one that comes last wins, though the other is final: they are compared by their time alone',
  fix: RANK,
}
const TIES: Diagnosis = {
  fault: 'regress',
  cause: 'what is stored in the end depends on the order in which events came',
  fix: RANK,
}

const EARLIER_SECONDS = 30

export const before: Scenario = {
  id: 'before-booking',
  title: 'an earlier event, then the one that books',
  fits: ({ story }) => story.before !== undefined,
  async run(stage) {
    const { story } = stage.settings
    const subject = await stage.subject()
    const earlier = { occurredAt: stage.signingTime() - EARLIER_SECONDS }
    await expectDelivered(stage, subject, stage.tell(subject, story.before, earlier))
    await expectEffects(stage, [subject], 0, { more: BOOKS_EARLY })
    await expectDelivered(stage, subject, stage.booking(subject))
    await expectEffects(stage, [subject], 1, { none: () => unlessShared(stage, TAKEN_FOR_REPEAT) })
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
    const [booked] = await expectEffects(stage, [subject], 1)
    await expectDelivered(stage, subject, late)
    const [seen] = await expectEffects(stage, [subject], 1, { none: REGRESSED })
    if (JSON.stringify(seen) !== JSON.stringify(booked)) {
      throw new ProofFailure('the observed state went back', REGRESSED, subject)
    }
    return 'effects 1 · unchanged'
  },
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
    const length = story.lifecycle?.(await stage.subject()).length ?? 0
    const orders = ordersOf(length, stage.random)
    for (const order of orders) {
      const subject = await stage.subject()
      const events = story.lifecycle?.(subject, { occurredAt: stage.signingTime() }) ?? []
      subjects.push(subject)
      for (const index of order) {
        await expectDelivered(stage, subject, stage.about(subject, events[index] as Message))
      }
    }
    // The state may follow the booking.
    const seen = await stage.settled(subjects, 1, (all) =>
      all.every((one) => isSameState(one, all[0])),
    )
    const none = () => {
      const lost = orders.filter((_, index) => seen[index]?.effects === 0)
      return unlessShared(stage, () => whyLost(lost, orders))
    }
    const all = await expectEffects(stage, subjects, 1, { none, each: 'orders' })
    const differs = (index: number) => !isSameState(all[index] as Seen, all[0])
    const different = orders.filter((_, index) => differs(index))
    if (different.length > 0) {
      const what = `the state differs from that of the first order in ${different.length} of ${orders.length} orders`
      const subject = subjects.find((_, index) => differs(index)) as Subject
      throw new ProofFailure(what, whyDifferent(different, orders), subject)
    }
    return `${orders.length} orders · effects 1 and one state`
  },
}

type Order = readonly number[]

/** What the orders in which nothing was booked have in common, and the others have not. */
function whyLost(lost: readonly Order[], orders: readonly Order[]): Diagnosis {
  const booking = bookingOf(orders)
  if (areThose(lost, orders, (order) => order[0] !== booking)) return TAKEN_FOR_REPEAT
  const isBehindPeer = (order: Order) => order.indexOf(booking - 1) < order.indexOf(booking)
  return areThose(lost, orders, isBehindPeer) ? NOT_NEWER : LOST_IN_ORDER
}

/** The same for those that end in another state. */
function whyDifferent(different: readonly Order[], orders: readonly Order[]): Diagnosis {
  const booking = bookingOf(orders)
  if (areThose(different, orders, (order) => order.at(-1) !== booking)) return REGRESSED
  const isBeforePeer = (order: Order) => order.indexOf(booking - 1) > order.indexOf(booking)
  return areThose(different, orders, isBeforePeer) ? BY_TIME_ALONE : TIES
}

/** The last event of a life; the one before it is of the same second. */
const bookingOf = (orders: readonly Order[]) => (orders[0]?.length ?? 0) - 1

function areThose(
  some: readonly Order[],
  orders: readonly Order[],
  isOne: (order: Order) => boolean,
): boolean {
  return orders.every((order) => some.includes(order) === isOne(order))
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

const NOT_CREDITED: Diagnosis = {
  cause:
    'deposits of payment channels are not booked: the event that credits one was acknowledged and ignored, though no other came before it',
  fix: 'handle payment_channel.deposit.confirmed, by data.id; without payment channels, leave this scenario out',
}

/** A deposit that no other event came before shows whether any is booked. */
async function whyNotCredited(
  stage: Stage,
  { subject: of, booking }: NonNullable<Story['deposit']>,
): Promise<Diagnosis> {
  const subject = await stage.subject(of)
  await stage.sender.send(stage.tell(subject, booking))
  const [seen] = await stage.settled([subject], 1)
  return seen?.effects === 0 ? NOT_CREDITED : TAKEN_FOR_REPEAT
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
    await expectEffects(stage, [subject], 1, {
      none: () => unlessShared(stage, () => whyNotCredited(stage, deposit)),
      more: NO_GUARD,
    })
    await advise(1)
    return 'effects 0→1→1'
  },
}
