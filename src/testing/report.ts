import type { Attempt } from './attempt.ts'
import type { TimeMode } from './clock.ts'
import { duration, timeOfDay } from './ladder.ts'

/** What became of one scenario. */
export interface ScenarioResult {
  readonly id: string
  readonly title: string
  readonly outcome: 'shown' | 'failed' | 'not shown'
  /** What was seen, or why nothing was. */
  readonly detail: string
  readonly durationMs: number
  /** Of a failed one. */
  readonly failure?: {
    readonly cause: string
    readonly fix: string
    /** The attempts that led to it, the first at 0. */
    readonly timeline: readonly TimelineEntry[]
  }
}

export interface TimelineEntry {
  /** Milliseconds of the sender's time since the scenario began. */
  readonly at: number
  readonly id: string
  readonly type: string
  readonly attempt: number
  readonly outcome: Attempt['outcome']
  readonly status?: number
  readonly fault?: Attempt['fault']
}

export interface ReportFacts {
  readonly target: string
  readonly seed: number
  readonly mode: TimeMode
  readonly deliveries: number
  readonly durationMs: number
  readonly ladder: { readonly attempts: number; readonly ms: number }
  /** How far the sender's clock was moved. */
  readonly passedMs: number
  readonly results: readonly ScenarioResult[]
}

/** What was shown of a receiver; all of it but `text` is also there as JSON. */
export interface Report extends ReportFacts {
  /** True only if nothing failed and nothing was left unshown. */
  readonly ok: boolean
  readonly failed: number
  readonly notShown: number
  readonly text: string
}

export function createReport(facts: ReportFacts): Report {
  const count = (outcome: ScenarioResult['outcome']) =>
    facts.results.filter((result) => result.outcome === outcome).length
  const [failed, notShown] = [count('failed'), count('not shown')]
  const ok = failed === 0 && notShown === 0 && facts.results.length > 0
  return { ...facts, ok, failed, notShown, text: reportText(facts, failed, notShown) }
}

function reportText(facts: ReportFacts, failed: number, notShown: number): string {
  const { target, seed, mode, deliveries, durationMs, ladder, passedMs, results } = facts
  const seconds = (durationMs / 1000).toFixed(1)
  const verdict = [failed > 0 && `${failed} failed`, notShown > 0 && `${notShown} not shown`]
  const open = verdict.filter(Boolean).join(', ')
  const isReady = open === '' && results.length > 0
  return [
    `Replay safety of ${target}`,
    `seed ${seed} · mode ${mode} · ${deliveries} deliveries · ${seconds} s`,
    '',
    ...results.flatMap((result) => resultLines(result, seed)),
    '',
    `Ladder: ${ladder.attempts} attempts in ${duration(ladder.ms)}. The sender's clock moved ${duration(passedMs)}.`,
    ...(failed > 1 ? ['Begin with the first failure: others may follow from it.'] : []),
    isReady ? `All ${results.length} shown.` : `NOT READY: ${open || 'nothing was run'}.`,
  ].join('\n')
}

/** One scenario for people: a line, and behind a failure what led to it. */
export function resultLines(result: ScenarioResult, seed: number): string[] {
  const { id, title, outcome, detail, failure } = result
  const name = /^P\d$/u.test(id) ? `${id}  ${title}` : title
  const line = `  ${name.padEnd(48)} ${outcome === 'failed' ? 'FAILED   ' : outcome.padEnd(9)}  ${detail}`
  if (failure === undefined) return [line.trimEnd()]
  return [
    line,
    ...shorten(failure.timeline.map(timelineLine)),
    `      cause   ${failure.cause}`,
    `      fix     ${failure.fix}`,
    `      replay  --only ${id} --replay ${seed}`,
  ]
}

const FAULTS = {
  refuse: 'nobody listens',
  lostRequest: 'the request is lost',
  lostResponse: 'the answer is lost',
  hang: 'the work is held',
  cutSocket: 'cut in the middle of the body',
  slowBody: 'the body comes in pieces',
} as const

function timelineLine(entry: TimelineEntry): string {
  const { at, id, type, attempt, outcome, status, fault } = entry
  const short = id.length > 12 ? `${id.slice(0, 11)}…` : id
  const answer = outcome === 'delivered' || outcome === 'status' ? String(status) : outcome
  const hidden = outcome === 'timeout' && status !== undefined ? ` (${status})` : ''
  const note = fault === undefined ? '' : `  ${FAULTS[fault]}`
  return `      ${timeOfDay(at)}  ${short}  ${type}  attempt ${attempt}  → ${answer}${hidden}${note}`
}

const MOST_LINES = 12

function shorten(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_LINES) return lines
  const half = MOST_LINES / 2
  const left = `      … ${lines.length - MOST_LINES} more`
  return [...lines.slice(0, half), left, ...lines.slice(-half)]
}
