import { isObject } from '../core/envelope.ts'
import { gradeAnswer } from './grade.ts'
import { decodeInput } from './input.ts'
import { oneLine } from './one-line.ts'
import type { Preflight } from './preflight.ts'
import { type Declaration, requestOf } from './protocol.ts'
import { whyUnsupported } from './select.ts'
import type { Session } from './session.ts'
import { answerWord, askTrial, type Step } from './step.ts'
import type { Op, Suite } from './suite.ts'

const MAKING: readonly Op[] = ['sign', 'mac']

/** One case of each other operation: what it makes must be right. */
export async function tryMaking(
  session: Session,
  suite: Suite,
  declared: Declaration,
  profile: string,
  slow: number,
): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (const op of MAKING) {
    const published = suite.cases.find(
      (one) =>
        one.op === op &&
        one.profile === profile &&
        one.allowed[0]?.result === 'valid' &&
        whyUnsupported(one, declared) === undefined,
    )
    if (published === undefined) continue
    const name = `${profile}, ${op}`
    const request = requestOf(published, decodeInput(published.input), false)
    const answer = await askTrial(session, request, slow)
    if ('problem' in answer) {
      const { hint: _, ...fault } = answer
      return [...steps, { name, ...fault }]
    }
    if ('skipped' in answer) {
      steps.push({ name: `${name}: ${answerWord(answer)}` })
      continue
    }
    const { grade, expected, got } = gradeAnswer(published, answer, declared, suite)
    const problem = oneLine(`expected ${expected}, got ${got}`)
    steps.push(grade === 'pass' ? { name } : { name, problem })
  }
  return steps
}

/**
 * An output whose members are of other kinds than those of the suite, such as numbers where decimal
 * strings belong, would differ in every case.
 */
export function checkOutput({ good }: Preflight): readonly Step[] {
  if (good === undefined || !('result' in good.answer) || good.answer.result !== 'valid') return []
  const { published, answer } = good
  if (answer.output === undefined) return []
  const name = `${published.profile}, output`
  const problem = wrongKind('output', published.allowed[0]?.output, answer.output)
  return [problem === undefined ? { name } : { name, problem }]
}

function wrongKind(path: string, expected: unknown, given: unknown): string | undefined {
  if (expected === undefined || given === undefined) return undefined
  const [want, got] = [kindOf(expected), kindOf(given)]
  if (want !== got) {
    const why = got === 'a number' ? '; numbers are decimal strings, but for those of matched' : ''
    return `${path} must be ${want}, and is ${got}${why}`
  }
  if (!isObject(expected) || !isObject(given)) return undefined
  for (const [name, value] of Object.entries(expected)) {
    const problem = wrongKind(
      `${path}.${name}`,
      value,
      Object.hasOwn(given, name) ? given[name] : undefined,
    )
    if (problem !== undefined) return problem
  }
  return undefined
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
