import type { Attempt } from '../attempt.ts'
import type { Message } from '../message.ts'
import { type Diagnosis, ProofFailure, type Seen, type Stage } from '../scenario.ts'
import type { DeliveryRecord, FaultPlan } from '../sender.ts'
import type { Subject } from '../story.ts'

/** What too few and too many effects mean in a scenario. */
export interface Meaning {
  readonly none: Diagnosis
  readonly more: Diagnosis
}

/** Waits until work is over; fails unless each subject is booked so often. */
export async function expectEffects(
  stage: Stage,
  subjects: readonly Subject[],
  effects: number,
  { none, more }: Meaning,
): Promise<Seen[]> {
  const seen = await stage.settled(subjects, effects)
  for (const [index, one] of seen.entries()) {
    if (one.effects === effects) continue
    const what = `effects ${one.effects}, expected ${effects}`
    throw new ProofFailure(what, one.effects < effects ? none : more, subjects[index])
  }
  return seen
}

/** Fails unless an attempt was answered with a status from 200 to 299. */
export function expectAccepted(attempt: Attempt, subject: Subject, diagnosis?: Diagnosis): void {
  if (attempt.outcome === 'delivered') return
  throw new ProofFailure(answered(attempt), diagnosis ?? refusalOf(attempt), subject)
}

/** Tries until a 2xx; fails at the end of the ladder. */
export async function expectDelivered(
  stage: Stage,
  subject: Subject,
  message: Message,
  faults?: FaultPlan,
): Promise<DeliveryRecord> {
  const record = await stage.sender.deliver(message, { faults })
  const last = record.attempts.at(-1)
  if (record.status === 'failed' && last !== undefined) {
    const seen = `${answered(last)} at every attempt`
    const isRefused = (last.status ?? 0) >= 400 && (last.status ?? 0) < 500
    throw new ProofFailure(seen, isRefused ? THIS_ONE_REFUSED : refusalOf(last), subject)
  }
  return record
}

export function answered({ outcome, status }: Attempt): string {
  if (outcome === 'refused') return 'nobody listens there'
  if (outcome === 'broken') return 'the connection ended without an answer'
  return outcome === 'timeout' ? 'no answer in time' : `answered ${status}`
}

/** `202 202 200`. */
export function statuses(attempts: readonly Attempt[]): string {
  return attempts.map(({ outcome, status }) => status ?? outcome).join(' ')
}

/** What a refusal of a genuine delivery comes from, most often. */
function refusalOf({ outcome, status = 0 }: Attempt): Diagnosis {
  if (outcome === 'refused') {
    return { cause: 'no server takes connections there', fix: 'start it, and check host and port' }
  }
  if (outcome === 'broken') {
    return {
      cause: 'the receiver closes the connection, or dies of the delivery',
      fix: 'look at its log for this moment',
    }
  }
  if (outcome === 'timeout') {
    return {
      cause: 'the work is done before the answer, and takes longer than the sender waits',
      fix: 'store the delivery, answer, and work on it afterwards',
    }
  }
  if (status >= 300 && status < 400) {
    return {
      cause: 'the route redirects, and senders follow no redirect',
      fix: 'give the sender the address that the redirect leads to; mind the slash at the end and https',
    }
  }
  if (status === 404 || status === 405) {
    return { cause: 'no route takes a POST at this path', fix: 'check the path' }
  }
  if (status >= 400 && status < 500) {
    return {
      cause:
        'a genuine delivery is refused: another secret, or a body that was changed before it was verified',
      fix: 'compare the secret; verify the raw bytes, before any parser',
    }
  }
  return {
    cause: 'the receiver fails on a genuine delivery',
    fix: 'look at its log for this moment',
  }
}

/** Behind P1, which has shown that the secret is right. */
const THIS_ONE_REFUSED: Diagnosis = {
  cause:
    'a genuine delivery is refused for what it says: its type, its time, its place in the order of events',
  fix: 'answer 2xx for every delivery whose signature is right, and ignore what you do not need',
}

export const NOTHING_BOOKED: Diagnosis = {
  cause: 'it answered 2xx, and nothing was booked',
  fix: 'answer 2xx only once the delivery is committed to a table, and see why the work behind it did not run',
}

export const BOOKED_AGAIN: Diagnosis = {
  cause: 'the same delivery is worked on again: nothing remembers its id',
  fix: 'put a unique key on the event id of the signed body, insert before any work, and let the insert decide',
}

export const NO_GUARD: Diagnosis = {
  cause: 'each delivery books: nothing guards the booking itself',
  fix: 'in the transaction that books, mark the resource as booked under a unique key, or with a conditional update',
}
