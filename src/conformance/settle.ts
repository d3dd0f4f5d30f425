import type { Expectations } from './expectations.ts'
import { type Level, reaches } from './grade.ts'
import type { Declaration } from './protocol.ts'
import type { CaseResult, Status } from './result.ts'
import type { Case } from './suite.ts'

/** The status that each word of an expectations file stands for. */
const STATUS: Readonly<Record<string, readonly Status[]>> = {
  fail: ['fail', 'inconsistent'],
  'wrong-reason': ['wrong_reason', 'inconsistent'],
  'wrong-output': ['wrong_output'],
  crash: ['crash'],
  timeout: ['timeout'],
}

const ALWAYS_RED: readonly Status[] = ['xpass', 'crash', 'timeout', 'protocol_error', 'not_run']
const NEVER_RED: readonly Status[] = ['pass', 'xfail', 'unsupported']

/** Whether a case counts as failed at a level. */
export function isRed({ status, reached }: CaseResult, level: Level): boolean {
  if (NEVER_RED.includes(status)) return false
  return ALWAYS_RED.includes(status) || !reaches(reached, level)
}

/**
 * Holds the answers to open questions against what was declared, else against the first answer; in
 * the order of the suite, so that the result does not depend on who answered first.
 */
export function settleChoices(
  cases: readonly Case[],
  results: ReadonlyMap<string, CaseResult>,
  { choices = {} }: Declaration,
): { results: Map<string, CaseResult>; taken: Record<string, string> } {
  const settled = new Map(results)
  const taken: Record<string, string> = {}
  for (const { id } of cases) {
    const result = settled.get(id)
    if (result?.choice === undefined || result.reached === 'none') continue
    const { name, outcome } = result.choice
    const declared = Object.hasOwn(choices, name) ? choices[name] : undefined
    taken[name] ??= declared ?? outcome
    const wanted = taken[name]
    const isSameVerdict = (wanted === 'valid') === (outcome === 'valid')
    if (wanted === outcome || (isSameVerdict && result.status === 'wrong_reason')) continue
    settled.set(id, {
      ...result,
      status: 'inconsistent',
      reached: isSameVerdict ? 'verdict' : 'none',
      expected: `${wanted}, as ${declared === undefined ? 'before' : 'declared'} for ${name}`,
      got: outcome,
    })
  }
  return { results: settled, taken }
}

/** Holds what happened against the expectations file. */
export function settleExpectations(
  results: ReadonlyMap<string, CaseResult>,
  { byCase }: Expectations,
  level: Level,
): Map<string, CaseResult> {
  return new Map(
    [...results].map(([id, result]) => {
      const entry = byCase.get(id)
      const isGraded = result.status !== 'unsupported' && result.status !== 'not_run'
      if (entry === undefined || !isGraded) return [id, result]
      const explained = { ...result, expectation: entry.text }
      if (STATUS[entry.expected]?.includes(result.status)) {
        return [id, { ...explained, status: 'xfail' }]
      }
      return [id, isRed(result, level) ? explained : { ...explained, status: 'xpass' }]
    }),
  )
}
