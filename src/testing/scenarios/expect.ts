import type { Attempt } from '../attempt.ts'
import type { Message } from '../message.ts'
import { type Diagnosis, ProofFailure, type Seen, type Stage } from '../scenario.ts'
import type { DeliveryRecord, FaultPlan } from '../sender.ts'
import type { Subject } from '../story.ts'
import {
  ANSWERED_UNDONE,
  BOOKED_AGAIN,
  BOOKS_EARLY,
  BOOKS_TWICE,
  CONFLICT,
  EVENT_TIME,
  NO_GUARD,
  NOT_2XX,
  NOTHING_BOOKED,
  SHARED_KEY,
} from './diagnoses.ts'
import { takesOld, takesOneForAnother } from './probes.ts'

/** A diagnosis, or how it is found once something is wrong with this subject. */
type Finding = Diagnosis | ((subject: Subject) => Diagnosis | Promise<Diagnosis>)

/** What too few and too many effects mean in a scenario; default: what the attempts tell. */
export interface Meaning {
  readonly none?: Finding
  readonly more?: Finding
  /** What the subjects are, in the plural. */
  readonly each?: string
}

/** Waits until work is over; fails unless each subject is booked so often. */
export async function expectEffects(
  stage: Stage,
  subjects: readonly Subject[],
  effects: number,
  { none = tooFew(stage), more = tooMany(stage), each = 'payments' }: Meaning = {},
): Promise<Seen[]> {
  const seen = await stage.settled(subjects, effects)
  const isWrong = (one: Seen) => one.effects !== effects
  const index = seen.findIndex(isWrong)
  if (index < 0) return seen
  const one = seen[index] as Seen
  const subject = subjects[index] as Subject
  const finding = one.effects < effects ? none : more
  const diagnosis = typeof finding === 'function' ? await finding(subject) : finding
  const wrong = seen.filter(isWrong).length
  const share = subjects.length > 1 ? `, in ${wrong} of ${subjects.length} ${each}` : ''
  throw new ProofFailure(`effects ${one.effects}, expected ${effects}${share}`, diagnosis, subject)
}

/** What too few effects come from, as the attempts about a subject tell. */
function tooFew(stage: Stage): (subject: Subject) => Promise<Diagnosis> {
  return async (subject) => {
    const [first, ...retries] = reachedAbout(stage, subject)
    const isAnswered = first?.status !== undefined && first.status < 300
    const isRetried = retries.some(({ id, outcome }) => id === first?.id && outcome === 'delivered')
    return unlessShared(stage, !isAnswered && isRetried ? ANSWERED_UNDONE : NOTHING_BOOKED)
  }
}

/** What was acknowledged and not booked may have been taken for another payment's delivery. */
export async function unlessShared(
  stage: Stage,
  otherwise: Diagnosis | (() => Diagnosis | Promise<Diagnosis>),
): Promise<Diagnosis> {
  if (await takesOneForAnother(stage)) return SHARED_KEY
  return typeof otherwise === 'function' ? otherwise() : otherwise
}

/** Attempts that a receiver never had whole. */
const UNHEARD: readonly Attempt['fault'][] = ['refuse', 'lostRequest', 'cutSocket']

function reachedAbout(stage: Stage, subject: Subject): readonly Attempt[] {
  return stage.attemptsOf(subject).filter(({ fault }) => !UNHEARD.includes(fault))
}

/** What too many effects come from, as the attempts about a subject tell. */
function tooMany(stage: Stage): (subject: Subject) => Diagnosis {
  return (subject) => {
    const reached = reachedAbout(stage, subject)
    if (reached.length < 2) return BOOKS_TWICE
    const booking = stage.bookingType
    const ids = new Set(reached.filter(({ type }) => type === booking).map(({ id }) => id))
    if (ids.size > 1) return NO_GUARD
    return reached.some(({ type }) => type !== booking) ? BOOKS_EARLY : BOOKED_AGAIN
  }
}

/** Fails unless an attempt was answered with a status from 200 to 299. */
export function expectAccepted(attempt: Attempt, subject: Subject, diagnosis?: Diagnosis): void {
  if (attempt.outcome === 'delivered') return
  const isHeard = attempt.outcome !== 'refused'
  throw new ProofFailure(answered(attempt), (isHeard && diagnosis) || refusalOf(attempt), subject)
}

/** Tries until a 2xx; fails at the end of the ladder. */
export async function expectDelivered(
  stage: Stage,
  subject: Subject,
  message: Message,
  faults?: FaultPlan,
): Promise<DeliveryRecord> {
  const record = await stage.sender.deliver(message, { faults })
  await expectSuccess(stage, subject, record)
  return record
}

/** Fails for a delivery whose ladder is at its end. */
export async function expectSuccess(
  stage: Stage,
  subject: Subject,
  { status, attempts }: DeliveryRecord,
): Promise<void> {
  const last = attempts.at(-1)
  if (status !== 'failed' || last === undefined) return
  const diagnosis = await whyFailed(stage, subject, attempts, last)
  throw new ProofFailure(`${answered(last)} to the end of the ladder`, diagnosis, subject)
}

async function whyFailed(
  stage: Stage,
  subject: Subject,
  attempts: readonly Attempt[],
  last: Attempt,
): Promise<Diagnosis> {
  const { status = 0 } = last
  const wasAccepted = attempts.some((attempt) => attempt.status && attempt.status < 300)
  if (wasAccepted && status >= 400) return NOT_2XX
  const { effects } = await stage.see(subject)
  if (status >= 500 && effects > 0) return CONFLICT
  if (status < 400 || status > 499) return refusalOf(last)
  if (!(await takesOld(stage))) return EVENT_TIME
  if (effects === 0) return THIS_ONE_REFUSED
  return attempts.some(mayHaveRun) ? NOT_2XX : CONFLICT
}

/** Whether a first run of this delivery may have booked what a repeat of it was refused for. */
function mayHaveRun({ outcome, fault }: Attempt): boolean {
  return outcome === 'timeout' && !UNHEARD.includes(fault)
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
export function refusalOf({ outcome, status = 0 }: Attempt): Diagnosis {
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
      cause: 'no answer comes in the time that the sender waits',
      fix: 'answer sooner: store the delivery, answer, and work on it afterwards',
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
      fault: 'refusal',
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
  fault: 'refusal',
  cause:
    'a genuine delivery is refused for what it says: its type, its time, its place in the order of events',
  fix: 'answer 2xx for every delivery whose signature is right, and ignore what you do not need',
}
