/** What is probably wrong with a receiver that fails several scenarios, in the order of repair. */
export const FAULTS = {
  refusal: 'genuine deliveries are refused',
  verification: 'what is not genuine is accepted',
  bytes: 'the signature is verified over something other than the bytes that came',
  clock: "the event's own time is compared with the clock",
  memory: 'nothing remembers that a delivery was worked on',
  key: 'deliveries are known by something other than their event id',
  transaction: 'the id of a delivery is not stored in one step with its work',
  answer: 'the answer comes before the work, and nothing holds the work meanwhile',
  swallowed: 'errors of the work are swallowed',
  guard: 'nothing stops a second booking of one resource',
  repeat: 'a repeat is not answered with 2xx',
  conflict: 'a second booking is stopped, and ends in an error of the receiver',
  early: 'an event that is not final books',
  regress: 'an older event overwrites what a newer one said',
} as const

export type ReceiverFault = keyof typeof FAULTS

/** Scenarios that probably fail by one fault. */
export interface FaultGroup {
  readonly what: string
  readonly scenarios: readonly string[]
}

interface Failed {
  readonly id: string
  readonly cause: string
  readonly fault?: ReceiverFault | undefined
}

/** Groups failures by their fault, what is to be repaired first in front. */
export function groupByFault(failures: readonly Failed[]): FaultGroup[] {
  const groups = new Map<string, string[]>()
  const order = Object.values<string>(FAULTS)
  for (const { id, cause, fault } of failures) {
    const what = fault === undefined ? cause : FAULTS[fault]
    groups.set(what, [...(groups.get(what) ?? []), id])
  }
  const rank = (what: string) => (order.includes(what) ? order.indexOf(what) : order.length)
  return [...groups]
    .map(([what, scenarios]) => ({ what, scenarios }))
    .sort((a, b) => rank(a.what) - rank(b.what))
}
