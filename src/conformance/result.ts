import type { Level } from './grade.ts'

/** What became of a case. */
export type Status =
  | 'pass'
  /** Accepted instead of refused, or the other way round; or a wrong header or MAC was made. */
  | 'fail'
  /** The verdict is right, the reason is not. */
  | 'wrong_reason'
  /** The reason is right, or there is none; the output is not right. */
  | 'wrong_output'
  /** An open question was answered otherwise than declared, or than in another case. */
  | 'inconsistent'
  | 'crash'
  | 'timeout'
  | 'protocol_error'
  /** Failed as the expectations file says. */
  | 'xfail'
  /** Passed although the expectations file says otherwise. */
  | 'xpass'
  /** Not asked for, because the implementation has no such functionality. */
  | 'unsupported'
  /** Not asked for, because the run ended early. */
  | 'not_run'

/** One case of a run. */
export interface CaseResult {
  readonly status: Status
  /** The highest level at which the answer is right. */
  readonly reached: Level | 'none'
  readonly expected?: string
  readonly got?: string
  /** The implementation's own words; never graded. */
  readonly detail?: string
  /** What it wrote to standard error; never graded. */
  readonly stderr?: string
  readonly ms?: number
  readonly choice?: { readonly name: string; readonly outcome: string }
  /** What the expectations file says about it. */
  readonly expectation?: string
}
