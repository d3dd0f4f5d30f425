import { utf8 } from '../core/bytes.ts'
import { decodeInput, type VerifyInput } from './input.ts'
import type { Answer, Declaration } from './protocol.ts'
import { isCapable } from './select.ts'
import type { Session } from './session.ts'
import { answerWord, askTrial, type Step } from './step.ts'
import type { Case, Suite } from './suite.ts'

/** What the trial before the suite found. */
export interface Preflight {
  readonly steps: readonly Step[]
  readonly hint?: string
  /** The good delivery, and what was answered to it. */
  readonly good?: { readonly published: Case; readonly answer: Answer }
}

type Trial = 'accept' | 'tampered' | 'malformed'

const ORDER: readonly Trial[] = [
  ...(['accept', 'tampered', 'malformed'] as const),
  ...(['malformed', 'accept', 'tampered'] as const),
]

/**
 * A good delivery, the same with another body, and one without a readable header, each twice and in
 * another order. An implementation that gets these wrong is wired up wrongly, and grading it would
 * only bury the cause.
 */
export async function preflight(
  session: Session,
  suite: Suite,
  declared: Declaration,
  profiles: readonly string[],
  slow: number,
): Promise<Preflight> {
  const base = suite.cases.find(
    ({ op, profile, allowed, requires }) =>
      op === 'verify' &&
      profiles.includes(profile) &&
      allowed[0]?.result === 'valid' &&
      isCapable(declared, requires),
  )
  if (base === undefined || !declared.ops.includes('verify')) return { steps: [] }
  const inputs = trials(decodeInput(base.input) as VerifyInput)
  const steps: Step[] = []
  const answers: Answer[] = []
  for (const [index, trial] of ORDER.entries()) {
    const name = `${base.profile}, ${trial}, ${index < 3 ? 'first' : 'second'} time`
    const request = { profile: base.profile, op: base.op, input: inputs[trial] }
    const answer = await askTrial(session, request, slow)
    if ('problem' in answer) {
      const { hint, ...fault } = answer
      return { steps: [...steps, { name, ...fault }], hint }
    }
    const wanted = trial === 'accept' ? 'valid' : 'invalid'
    const problem = `expected ${wanted}, got ${answerWord(answer)}`
    steps.push(resultOf(answer) === wanted ? { name } : { name, problem })
    answers.push(answer)
  }
  const [good] = answers
  const hint = hintFor(answers.map(resultOf))
  return {
    steps,
    ...(hint !== undefined && { hint }),
    ...(good !== undefined && { good: { published: base, answer: good } }),
  }
}

function resultOf(answer: Answer): string {
  return 'result' in answer ? answer.result : 'error' in answer ? 'error' : 'skipped'
}

function trials(accept: VerifyInput): Record<Trial, VerifyInput> {
  const body = new Uint8Array(accept.body ?? new Uint8Array(1))
  body[0] = (body[0] ?? 0) ^ 1
  const headers = accept.headers.map(([name]) => [name, utf8('garbage')] as const)
  return {
    accept,
    tampered: { ...accept, body },
    malformed: { ...accept, headers, ...('header' in accept && { header: 'garbage' }) },
  }
}

function hintFor(results: readonly string[]): string | undefined {
  if (results.every((result) => result === 'valid')) {
    return 'all of them were accepted: does the adapter report what the verifier said?'
  }
  if (results.every((result) => result === 'invalid')) {
    return 'all of them were refused: is the body decoded from base64, and is the clock the now of the input?'
  }
  if (results.includes('error')) {
    return 'an error is for the unexpected: a refusal that your library documents is answered with invalid'
  }
  const [accept, tampered, malformed, ...second] = results
  if (second.join() !== [malformed, accept, tampered].join()) {
    return 'the same delivery was judged differently: does the answer belong to the question, and is nothing kept between two?'
  }
  return undefined
}
