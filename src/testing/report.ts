import type { TimeMode } from './clock.ts'
import { type FaultGroup, groupByFault, type ReceiverFault } from './faults.ts'
import { duration } from './ladder.ts'
import { type TimelineEntry, timelineLines } from './timeline.ts'

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
    /** What several scenarios may fail by. */
    readonly fault?: ReceiverFault
    /** The first delivery found nobody, or another secret, or something counted before. */
    readonly isSetUp?: true
    /** What the failure is about, as `observe` was asked. */
    readonly resource: string
    /** What led to it, the first at 0. */
    readonly timeline: readonly TimelineEntry[]
    /** How this scenario alone is run again, with the same choices. */
    readonly replay: string
  }
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
  /** The failures by what is probably wrong, what is to be repaired first in front. */
  readonly faults: readonly FaultGroup[]
  readonly text: string
}

export function createReport(facts: ReportFacts): Report {
  const count = (outcome: ScenarioResult['outcome']) =>
    facts.results.filter((result) => result.outcome === outcome).length
  const [failed, notShown] = [count('failed'), count('not shown')]
  const ok = failed === 0 && notShown === 0 && facts.results.length > 0
  const faults = groupByFault(
    facts.results.flatMap(({ id, failure }) => (failure ? [{ id, ...failure }] : [])),
  )
  const report = { ...facts, ok, failed, notShown, faults }
  return { ...report, text: reportText(report) }
}

const TERMS =
  'effects: how often observe says it is booked · held: its work waits at the gate · shown: seen in this run'

const MODES = {
  skip: "skip (the sender's waits are left out)",
  virtual: 'virtual (waits move a clock that both share)',
  real: 'real (waits are waited for)',
} as const

function reportText(report: Omit<Report, 'text'>): string {
  const { target, seed, mode, deliveries, durationMs, ladder, passedMs, results } = report
  const { failed, notShown, faults } = report
  const seconds = (durationMs / 1000).toFixed(1)
  const verdict = [failed > 0 && `${failed} failed`, notShown > 0 && `${notShown} not shown`]
  const open = verdict.filter(Boolean).join(', ')
  const isReady = open === '' && results.length > 0
  return [
    `Replay safety of ${target}`,
    `seed ${seed} · mode ${MODES[mode]} · ${deliveries} deliveries · ${seconds} s`,
    TERMS,
    '',
    ...results.flatMap((result) => resultLines(result)),
    '',
    `Ladder: ${ladder.attempts} attempts in ${duration(ladder.ms)}. The sender's clock moved ${duration(passedMs)}.`,
    ...(failed > 1 ? faultLines(failed, faults) : []),
    isReady ? `All ${results.length} shown.` : `NOT READY: ${open || 'nothing was run'}.`,
  ].join('\n')
}

function faultLines(failed: number, faults: readonly FaultGroup[]): string[] {
  const begin = faults.length > 1 ? '. Begin with the first' : ''
  return [
    `${failed} failures, probably ${faults.length} ${faults.length > 1 ? 'faults' : 'fault'}${begin}:`,
    ...faults.map(
      ({ what, scenarios }, index) => `  ${index + 1}  ${what}: ${scenarios.join(', ')}`,
    ),
  ]
}

/** One scenario for people: a line, and behind a failure what led to it. */
export function resultLines({ id, title, outcome, detail, failure }: ScenarioResult): string[] {
  const name = /^P\d$/u.test(id) ? `${id}  ${title}` : title
  const line = `  ${name.padEnd(48)} ${outcome === 'failed' ? 'FAILED   ' : outcome.padEnd(9)}  ${detail}`
  if (failure === undefined) return [line.trimEnd()]
  const { resource, timeline, cause, fix, replay } = failure
  return [
    line,
    `      about   ${resource}`,
    ...timelineLines(timeline),
    `      cause   ${cause}`,
    `      fix     ${fix}`,
    `      replay  ${replay}`,
  ]
}
