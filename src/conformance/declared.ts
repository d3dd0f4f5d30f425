import { counted } from './one-line.ts'
import type { Declaration } from './protocol.ts'
import { type Selection, selectedProfiles, whyUnsupported } from './select.ts'
import type { Step } from './step.ts'
import { OPS, type Suite } from './suite.ts'

/** Declared names that the suite does not have: a misspelt one leaves cases out in silence. */
export function unknownNames(declared: Declaration, suite: Suite): string[] {
  const { capabilities, profiles, ops, choices = {} } = declared
  const known = {
    capability: [capabilities, suite.capabilities],
    scheme: [profiles, suite.profiles],
    op: [ops, OPS],
    choice: [Object.keys(choices), [...suite.choices.keys()]],
  } as const
  return Object.entries(known).flatMap(([kind, [given, all]]) =>
    given
      .filter((name) => !(all as readonly string[]).includes(name))
      .map((name) => `no ${kind} is named ${name}`),
  )
}

/** Whether what is declared lets any case be run, said for each scheme of the run. */
export function checkDeclared(
  declared: Declaration,
  suite: Suite,
  selection: Selection,
): readonly Step[] {
  if (!declared.ops.some((op) => OPS.includes(op))) {
    return [{ name: 'ops', problem: `none of ${OPS.join(', ')} is declared, so nothing is run` }]
  }
  const profiles = selectedProfiles(suite, declared, selection)
  if (profiles.length === 0) {
    const problem = `none of ${suite.profiles.join(', ')} is declared, so nothing is run`
    return [{ name: 'profiles', problem }]
  }
  return profiles.flatMap((profile) => {
    const reasons = suite.cases
      .filter((published) => published.profile === profile)
      .map((published) => whyUnsupported(published, declared))
    if (reasons.includes(undefined)) return []
    const why = [...new Set(reasons)].slice(0, 3).join('; ')
    return [
      { name: profile, problem: `none of its ${counted(reasons.length, 'case')} is run: ${why}` },
    ]
  })
}
