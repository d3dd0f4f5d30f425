import { oneLine } from './one-line.ts'
import { type Answer, type Request, readAnswer } from './protocol.ts'
import type { Session } from './session.ts'

/** One thing that was tried before the suite. */
export interface Step {
  readonly name: string
  readonly problem?: string
  /** What the implementation wrote to standard error. */
  readonly stderr?: string
}

/** Why there is no answer to judge; the session may be over. */
export interface Fault extends Omit<Step, 'name'> {
  readonly problem: string
  readonly hint: string
}

/** Far above any case's time, because the first questions warm an implementation up. */
const LIMIT_MS = 10_000

/** Puts one question of a trial. */
export async function askTrial(
  session: Session,
  request: Request,
  slow: number,
): Promise<Answer | Fault> {
  const reply = await session.ask(request, LIMIT_MS * slow)
  if (reply.kind !== 'answer') {
    const problem = reply.kind === 'stray' ? 'a second line came behind an answer' : reply.kind
    return {
      problem: `${problem}: ${reply.detail}`,
      hint: 'every question must have its one answer; what your library documents as a refusal is answered with invalid',
      ...(reply.kind !== 'stray' && reply.stderr !== undefined && { stderr: reply.stderr }),
    }
  }
  const answer = readAnswer(reply.value)
  return typeof answer === 'string'
    ? { problem: `protocol_error: ${answer}`, hint: 'vectors/README.md has the messages' }
    : answer
}

/** An answer in a word, or with the words of an error. */
export function answerWord(answer: Answer): string {
  if ('error' in answer) return `error: ${oneLine(answer.error.message)}`
  return 'skipped' in answer ? `skipped: ${oneLine(answer.skipped)}` : answer.result
}
