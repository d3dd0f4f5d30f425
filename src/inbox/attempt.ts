import { fail } from '../core/errors.ts'
import { type AnyHandler, applyContext, prepareContext, type Subject } from './handlers.ts'
import { finished } from './record.ts'
import { fullJitter, type Settings } from './settings.ts'
import { bare, describe, type ProcessSignal, signalDelivery } from './signals.ts'
import type { Claim, Outcome } from './store.ts'
import { type Cancellation, cancellation, later, within } from './timers.ts'

type Ending = Pick<ProcessSignal, 'outcome' | 'error'>

export interface Attempt {
  /** How it ended; it never rejects. */
  readonly ended: Promise<ProcessSignal['outcome']>
  /** Gives the row back at once, for another process to take it. */
  readonly cancel: (reason: string) => void
}

/** Works on a claim once, and tells how that ended. */
export function attempt(settings: Settings, claim: Claim): Attempt {
  const { clock, tell } = settings
  const begun = clock()
  const lease = keepLease(settings, claim)
  let { backoff } = settings
  const run = async () => {
    const given = { ...settings, backoff: (attempts: number) => backoff(attempts) }
    const { outcome, error } = await work(given, claim, lease)
    lease.end()
    tell({
      kind: 'process',
      delivery: signalDelivery(claim),
      outcome,
      attempt: claim.claims,
      durationMs: Math.max(0, clock() - begun),
      queueDelayMs: Math.max(0, begun - claim.receivedAt),
      traceparent: claim.traceparent,
      ...(error !== undefined && { error }),
    })
    return outcome
  }
  return {
    ended: run(),
    cancel(reason) {
      backoff = () => 0
      lease.cancel(reason)
    },
  }
}

async function work(settings: Settings, claim: Claim, lease: Lease): Promise<Ending> {
  const { claims, claimLimit, id, type, body } = claim
  const { handlers, keepsBody } = settings
  if (claims > claimLimit) {
    return giveBack(settings, claim, new Error(`began ${claimLimit} times and never ended`))
  }
  const handler = Object.hasOwn(handlers, type) ? handlers[type] : handlers.default
  if (keepsBody && body === undefined && handler !== undefined) {
    return giveBack(
      settings,
      { ...claim, claimLimit: claims },
      new Error(`the body of ${id} is gone`),
    )
  }
  try {
    const outcome = await Promise.race([run(settings, claim, handler, lease), lease.cancelled])
    return { outcome }
  } catch (error) {
    return giveBack(settings, claim, error)
  }
}

/** `prepare`, and then `apply` in the transaction that settles the row. */
async function run(
  settings: Settings,
  claim: Claim,
  handler: AnyHandler = IGNORE,
  lease: Lease,
): Promise<Outcome | 'fenced'> {
  const { store, tell } = settings
  const event: unknown = claim.body === undefined ? undefined : JSON.parse(claim.body)
  const subject: Subject = { claim, event, signal: lease.signal }
  const prepared = await handler.prepare?.(event, prepareContext(subject))
  let outcome: Outcome = 'done'
  let hasConflict = false
  const apply = (tx: unknown) => {
    lease.assertHeld()
    // The row is locked from here on: nobody else takes it, and a renewal would only wait.
    lease.holdStill()
    hasConflict = false
    const { context, end, assertAwaited } = applyContext(subject, settings, tx, () => {
      hasConflict = true
    })
    const settle = (answer: unknown) => {
      outcome = answer === 'stale' || answer === 'ignored' ? answer : 'done'
      return outcome
    }
    // Written twice, because a `sync` store must get no promise.
    if (store.mode === 'sync') {
      try {
        return settle(finished(store.mode, handler.apply(tx, event, context, prepared), 'apply'))
      } finally {
        end()
      }
    }
    lease.cancelled.catch(end)
    const waiting = async () => {
      const answer = await handler.apply(tx, event, context, prepared)
      // Somebody else may be at it by now, and what this one wrote must not count as well.
      lease.assertHeld()
      assertAwaited()
      return settle(answer)
    }
    return waiting().finally(end)
  }
  const settled = await store.settle(claim, apply, lease.cancelled)
  if (settled === 'fenced') return settled
  if (hasConflict) {
    tell({ kind: 'anomaly', what: 'final_conflict', delivery: signalDelivery(claim) })
  }
  return outcome
}

const IGNORE: AnyHandler = { apply: () => 'ignored' }

/** Makes the row due again, or dead when it has had its claims. */
async function giveBack(settings: Settings, claim: Claim, error: unknown): Promise<Ending> {
  const { store, leaseMs, tell } = settings
  const isOver = claim.claims >= claim.claimLimit
  const { retryInMs, mistake } = isOver ? { retryInMs: 0 } : retryAfter(settings, claim.claims)
  const text = mistake === undefined ? describe(error) : `${describe(mistake)}: ${describe(error)}`
  const how = isOver ? ({ dead: true, error: text } as const) : { retryInMs, error: text }
  const write = async (): Promise<Ending> => {
    const isGiven = await store.giveBack(claim, how)
    if (isGiven) return { outcome: isOver ? 'dead' : 'retry', error: mistake ?? error }
    // The commit may have been done although its reply was lost, or came too late to be waited for.
    const [row] = await store.find({ id: claim.id })
    const isOwn = row?.processedAt !== undefined && row.claims === claim.claims
    return isOwn && row.outcome !== undefined
      ? { outcome: row.outcome }
      : { outcome: 'fenced', error }
  }
  try {
    // A transaction that is still open holds the row, and its lease goes on by itself.
    const ending = await within(leaseMs, write())
    if (ending !== undefined) return ending
    throw new Error(`not given back within ${leaseMs} ms: its transaction is still open`)
  } catch (failure) {
    tell({ kind: 'store_failure', operation: 'give_back', error: bare(failure) })
    return { outcome: 'lost', error }
  }
}

/** Milliseconds, and what is wrong with the `backoff` that was given, if something is. */
function retryAfter(
  { backoff }: Settings,
  attempts: number,
): { readonly retryInMs: number; readonly mistake?: unknown } {
  try {
    const retryInMs = backoff(attempts)
    if (Number.isFinite(retryInMs) && retryInMs >= 0) return { retryInMs }
    fail('inbox_invalid', `backoff must return milliseconds, not ${retryInMs}`)
  } catch (mistake) {
    return { retryInMs: fullJitter(attempts), mistake }
  }
}

type Lease = Cancellation & {
  /** Throws once the work is cancelled. */
  readonly assertHeld: () => void
  /** No more renewals. */
  readonly holdStill: () => void
  readonly end: () => void
}

/** Renews a lease at half time, and cancels the work when that fails or all of it takes too long. */
function keepLease({ store, leaseMs, attemptMs, tell }: Settings, claim: Claim): Lease {
  const cancelling = cancellation()
  const limit = later(attemptMs, () => cancelling.cancel(`took longer than ${attemptMs} ms`))
  let isHeld = true
  let pause = () => {}
  const renewIn = (ms: number, hasFailed: boolean) => {
    pause = later(ms, async () => {
      const renewed = await store.renew(claim, leaseMs).catch((error: unknown) => {
        tell({ kind: 'store_failure', operation: 'renew', error: bare(error) })
      })
      if (!isHeld) return
      if (renewed === true) renewIn(leaseMs / 2, false)
      // A quarter of the lease is left for a second try.
      else if (renewed === undefined && !hasFailed) renewIn(leaseMs / 4, true)
      else cancelling.cancel('the lease is lost')
    })
  }
  renewIn(leaseMs / 2, false)
  const holdStill = () => {
    isHeld = false
    pause()
  }
  return {
    ...cancelling,
    assertHeld() {
      const { aborted, reason } = cancelling.signal
      if (aborted) throw reason
    },
    holdStill,
    end() {
      holdStill()
      limit()
    },
  }
}
