import { matches } from './expectations.ts'
import type { Declaration } from './protocol.ts'
import type { Case, Suite } from './suite.ts'

/** Which cases are wanted: by scheme, and by id or the beginning of ids with `*`. */
export interface Selection {
  readonly schemes?: readonly string[] | undefined
  readonly only?: readonly string[] | undefined
}

/** Whether a run is of less than all that is declared. */
export function isNarrowed({ schemes, only }: Selection): boolean {
  return schemes !== undefined || only !== undefined
}

/** The schemes of a run: those that were asked for, by default all that are declared. */
export function selectedProfiles(
  suite: Suite,
  declared: Declaration,
  { schemes }: Selection,
): readonly string[] {
  return suite.profiles.filter((name) => (schemes ?? declared.profiles).includes(name))
}

export function selectedCases(
  suite: Suite,
  declared: Declaration,
  selection: Selection,
): readonly Case[] {
  const profiles = selectedProfiles(suite, declared, selection)
  return suite.cases.filter(
    ({ id, profile }) =>
      profiles.includes(profile) &&
      (selection.only?.some((pattern) => matches(pattern, id)) ?? true),
  )
}

/** Why a case is not asked for; `undefined` when it can be. */
export function whyUnsupported(published: Case, declared: Declaration): string | undefined {
  const { profile, op, requires } = published
  if (!declared.profiles.includes(profile)) return `scheme ${profile} not declared`
  if (!(declared.ops as readonly string[]).includes(op)) return `op ${op} not declared`
  const lacking = requires.filter((name) => !isCapable(declared, [name]))
  return lacking.length > 0 ? `not declared: ${lacking.join(', ')}` : undefined
}

/** An operation that is declared is a capability as well. */
export function isCapable(
  { ops, capabilities }: Declaration,
  requires: readonly string[],
): boolean {
  const declared: readonly string[] = [...ops, ...capabilities]
  return requires.every((name) => declared.includes(name))
}
