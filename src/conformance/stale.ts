import { type Expectation, type Expectations, matches } from './expectations.ts'
import type { Declaration } from './protocol.ts'
import type { CaseResult } from './result.ts'
import { isNarrowed, type Selection, whyUnsupported } from './select.ts'
import type { Case, Suite } from './suite.ts'

/** A run, as far as it decides whether a line of an expectations file still says anything. */
export interface Ran {
  readonly suite: Suite
  readonly declared: Declaration
  readonly selection: Selection
  readonly selected: readonly Case[]
  readonly results: ReadonlyMap<string, CaseResult>
}

/**
 * Entries that match no case, only cases of schemes that are not declared, or only cases that are
 * left out without them. What `--scheme` or `--only` leaves out is not judged.
 */
export function staleEntries(
  { entries }: Expectations,
  ran: Ran,
): { pattern: string; why: string }[] {
  return entries.flatMap((entry) => {
    const why = whyStale(entry, ran)
    return why === undefined ? [] : [{ pattern: entry.pattern, why }]
  })
}

function whyStale({ pattern, expected }: Expectation, ran: Ran): string | undefined {
  const { suite, declared, selection, selected, results } = ran
  if (!suite.cases.some(({ id }) => matches(pattern, id))) return 'no case has this id'
  const mine = selected.filter(({ id }) => matches(pattern, id))
  if (mine.length === 0) {
    return isNarrowed(selection) ? undefined : 'the adapter does not declare its scheme'
  }
  const isLeftOut = (published: Case) =>
    whyUnsupported(published, declared) !== undefined ||
    (expected !== 'unsupported' && results.get(published.id)?.status === 'unsupported')
  return mine.every(isLeftOut)
    ? 'the adapter does not declare what it needs, so it is left out anyway'
    : undefined
}
