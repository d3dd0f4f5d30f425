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
  return { answer: kept === fresh ? 'applied' : 'stale', kept }
}

function isGreater(a: Snapshot, b: Snapshot): boolean {
  if (a.isFinal !== b.isFinal) return a.isFinal
  if (a.occurredAt !== b.occurredAt) return a.occurredAt > b.occurredAt
  return a.rank > b.rank
}
