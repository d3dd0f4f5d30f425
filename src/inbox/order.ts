import type { Advance, Snapshot } from './store.ts'

/**
 * What a snapshot does to the state that is stored: the greater of `(isFinal, occurredAt, rank)` is
 * kept. A time alone would not do, since whole seconds tie, nor a rank alone, since a
 * reorganisation of the chain may move an invoice back.
 */
export function decide(
  stored: Snapshot,
  fresh: Snapshot,
): { readonly answer: Advance; readonly kept: Snapshot } {
  const kept = isGreater(fresh, stored) ? fresh : stored
  if (stored.isFinal && fresh.isFinal && stored.status !== fresh.status) {
    return { answer: 'conflict', kept }
  }
  return { answer: kept === fresh || isRepeat(fresh, stored) ? 'applied' : 'stale', kept }
}

/** A delivery that is worked on again, to book what it did not book, is not late to its own state. */
function isRepeat(fresh: Snapshot, stored: Snapshot): boolean {
  return (
    fresh.deliveryId === stored.deliveryId &&
    fresh.status === stored.status &&
    !isGreater(stored, fresh)
  )
}

function isGreater(a: Snapshot, b: Snapshot): boolean {
  if (a.isFinal !== b.isFinal) return a.isFinal
  if (a.occurredAt !== b.occurredAt) return a.occurredAt > b.occurredAt
  return a.rank > b.rank
}
