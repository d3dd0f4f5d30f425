import { isObject } from '../core/envelope.ts'
import type { Answer, Declaration } from './protocol.ts'
import type { Case, Outcome, Suite } from './suite.ts'

/** How much of an outcome must agree: accepted or refused; the stage as well; all of it. */
export type Level = 'verdict' | 'class' | 'exact'

export const LEVELS: readonly Level[] = ['verdict', 'class', 'exact']

/** What an answer came to. */
export type Grade =
  | 'pass'
  /** Accepted instead of refused, or the other way round; or a wrong header or MAC was made. */
  | 'fail'
  | 'wrong_reason'
  | 'wrong_output'
  | 'crash'

export interface Graded {
  readonly grade: Grade
  /** The highest level at which the answer is right. */
  readonly reached: Level | 'none'
  readonly expected: string
  readonly got: string
  /** The outcome that was taken where the suite leaves a choice. */
  readonly choice?: { readonly name: string; readonly outcome: string }
}

/** The stages that lie behind the signature, which a verifier without `envelope` does not reach. */
const BEHIND_THE_SIGNATURE = ['body', 'envelope']

/** Compares an answer with what its case allows. */
export function gradeAnswer(
  published: Case,
  answer: Exclude<Answer, { readonly skipped: string }>,
  declared: Declaration,
  { stages }: Pick<Suite, 'stages'>,
): Graded {
  const allowed = reachable(published, declared, stages)
  const expected = [...new Set(allowed.map(describe))].join(' or ')
  if ('error' in answer) {
    return { grade: 'crash', reached: 'none', expected, got: `error: ${answer.error.message}` }
  }
  const given = translated(answer, declared)
  const got = describe(given)
  const sameVerdict = allowed.filter(({ result }) => result === given.result)
  if (sameVerdict.length === 0) return { grade: 'fail', reached: 'none', expected, got }
  const taken = sameVerdict.find(({ reason }) => reason === given.reason)
  const choice = choiceTaken(published, allowed, given.reason ?? given.result)
  if (taken === undefined) {
    const stage = given.reason === undefined ? undefined : stages.get(given.reason)
    const sameStage = sameVerdict.some(
      ({ reason }) => stage !== undefined && stages.get(reason ?? '') === stage,
    )
    const reached = sameStage ? 'class' : 'verdict'
    return { grade: 'wrong_reason', reached, expected, got, ...choice }
  }
  const difference = differenceOf(taken.output, given.output, declared)
  if (difference !== undefined && published.op !== 'verify') {
    // What was made is the answer itself: a wrong header or MAC is right at no level.
    return { grade: 'fail', reached: 'none', ...difference }
  }
  if (difference !== undefined) {
    return { grade: 'wrong_output', reached: 'class', ...difference, ...choice }
  }
  return { grade: 'pass', reached: 'exact', expected, got, ...choice }
}

export function reaches(reached: Level | 'none', level: Level): boolean {
  return LEVELS.indexOf(reached as Level) >= LEVELS.indexOf(level)
}

/** What a case allows, for a verifier that may end when the signature fits. */
function reachable(
  { allowed, op }: Case,
  { capabilities }: Declaration,
  stages: ReadonlyMap<string, string>,
): readonly Outcome[] {
  if (op !== 'verify' || capabilities.includes('envelope')) return allowed
  return allowed.map((outcome) =>
    BEHIND_THE_SIGNATURE.includes(stages.get(outcome.reason ?? '') ?? '')
      ? { result: 'valid' }
      : outcome,
  )
}

/** Only where several outcomes are left to choose from. */
function choiceTaken(
  { choice: name }: Case,
  allowed: readonly Outcome[],
  outcome: string,
): Pick<Graded, 'choice'> {
  const outcomes = new Set(allowed.map(({ result, reason }) => reason ?? result))
  return name !== undefined && outcomes.size > 1 ? { choice: { name, outcome } } : {}
}

/** An answer with the suite's own name for its reason, where the adapter gave a table of names. */
function translated(
  answer: Exclude<Answer, { readonly skipped: string } | { readonly error: unknown }>,
  { reasons = {} }: Declaration,
): Outcome {
  if (answer.result === 'valid') return answer
  const { result, reason = '' } = answer
  if (reason === '') return { result }
  return { result, reason: Object.hasOwn(reasons, reason) ? String(reasons[reason]) : reason }
}

function describe({ result, reason }: Outcome): string {
  if (result === 'valid') return 'valid'
  return reason === undefined ? 'invalid without a reason' : `invalid ${reason}`
}

/** The first member that differs, `undefined` when none that is compared does. */
function differenceOf(
  expected: Outcome['output'],
  given: Outcome['output'],
  declared: Declaration,
): Pick<Graded, 'expected' | 'got'> | undefined {
  // Without `envelope` an expected refusal stands for any accepted output.
  if (expected === undefined) return undefined
  return firstDifference('output', compared(expected, declared), given && compared(given, declared))
}

function compared(
  output: Readonly<Record<string, unknown>>,
  { capabilities }: Declaration,
): Readonly<Record<string, unknown>> {
  const left = capabilities.includes('envelope') ? [] : ['event', 'warnings']
  if (!capabilities.includes('matched')) left.push('matched')
  return Object.fromEntries(Object.entries(output).filter(([name]) => !left.includes(name)))
}

function firstDifference(
  path: string,
  expected: unknown,
  given: unknown,
): Pick<Graded, 'expected' | 'got'> | undefined {
  if (isCollection(expected) && isCollection(given) && sameKind(expected, given)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(given)])) {
      const [want, got] = [member(expected, name), member(given, name)]
      const found = firstDifference(`${path}.${name}`, want, got)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (Object.is(expected, given)) return undefined
  return { expected: `${path} ${written(expected)}`, got: `${path} ${written(given)}` }
}

type Collection = Readonly<Record<string, unknown>> | readonly unknown[]

function isCollection(value: unknown): value is Collection {
  return isObject(value) || Array.isArray(value)
}

function sameKind(a: Collection, b: Collection): boolean {
  return Array.isArray(a) === Array.isArray(b)
}

function member(collection: Collection, name: string): unknown {
  return Object.hasOwn(collection, name)
    ? (collection as Readonly<Record<string, unknown>>)[name]
    : undefined
}

function written(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}
