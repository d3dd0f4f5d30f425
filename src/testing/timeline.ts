import type { Attempt } from './attempt.ts'
import { timeOfDay } from './ladder.ts'

interface AtTime {
  /** Milliseconds of the sender's time since the scenario began. */
  readonly at: number
  /** How often the resource was booked, as `observe` said next. */
  readonly effects?: number
}

/** One delivery attempt. */
export interface AttemptEntry extends AtTime {
  readonly kind: 'attempt'
  readonly id: string
  readonly type: string
  readonly attempt: number
  readonly outcome: Attempt['outcome']
  readonly status?: number
  readonly fault?: Attempt['fault']
  /** What was done to it, such as a changed body. */
  readonly note?: string
}

/** Something that is no delivery, such as work that was let go on, or a booking by hand. */
export interface StepEntry extends AtTime {
  readonly kind: 'step'
  readonly what: string
}

export type TimelineEntry = AttemptEntry | StepEntry

const FAULTS = {
  refuse: 'nobody listens',
  lostRequest: 'the request is lost',
  lostResponse: 'the answer is lost',
  hang: 'the work is held',
  cutSocket: 'cut in the middle of the body',
  slowBody: 'the body comes in pieces',
} as const

const MOST_LINES = 14

/** What led to a failure, a line each; attempts of one ladder that end alike share one. */
export function timelineLines(timeline: readonly TimelineEntry[]): string[] {
  const lines: string[] = []
  let effects = 0
  for (const run of runsOf(timeline)) {
    const last = run.at(-1) as TimelineEntry
    const seen = last.effects ?? effects
    lines.push(line(run, last.effects === undefined ? '' : change(effects, seen)))
    effects = seen
  }
  return shorten(lines)
}

/** `effects 0→1`, or `effects 1` where nothing has changed. */
function change(before: number, after: number): string {
  return before === after ? `effects ${after}` : `effects ${before}→${after}`
}

const FEWEST_ALIKE = 3

function runsOf(timeline: readonly TimelineEntry[]): TimelineEntry[][] {
  const runs: TimelineEntry[][] = []
  for (const entry of timeline) {
    const run = runs.at(-1)
    if (run !== undefined && isAlike(run[0] as TimelineEntry, entry)) run.push(entry)
    else runs.push([entry])
  }
  return runs.flatMap((run) => (run.length < FEWEST_ALIKE ? run.map((entry) => [entry]) : [run]))
}

function isAlike(first: TimelineEntry, entry: TimelineEntry): boolean {
  if (first.kind !== 'attempt' || entry.kind !== 'attempt') return false
  const names = ['id', 'outcome', 'status', 'fault', 'note', 'effects'] as const
  return entry.outcome !== 'delivered' && names.every((name) => first[name] === entry[name])
}

function line(run: readonly TimelineEntry[], effects: string): string {
  const [first, last] = [run[0], run.at(-1)] as [TimelineEntry, TimelineEntry]
  const time = timeOfDay(first.at)
  if (first.kind === 'step') return parts([`      ${time}`, first.what, effects])
  const { id, type, attempt, outcome, status, fault, note } = first
  const short = id.length > 12 ? `${id.slice(0, 11)}…` : id
  const answer = outcome === 'delivered' || outcome === 'status' ? String(status) : outcome
  const hidden = outcome === 'timeout' && status !== undefined ? ` (${status})` : ''
  const isMany = last !== first && last.kind === 'attempt'
  return parts([
    `      ${time}${isMany ? `–${timeOfDay(last.at)}` : ''}`,
    short,
    type,
    isMany ? `attempts ${attempt}–${last.attempt}` : `attempt ${attempt}`,
    `→ ${answer}${hidden}`,
    fault === undefined ? '' : FAULTS[fault],
    note ?? '',
    effects,
  ])
}

const parts = (words: readonly string[]) => words.filter((word) => word !== '').join('  ')

function shorten(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines]
  const half = MOST_LINES / 2
  const left = `      … ${lines.length - MOST_LINES} more`
  return [...lines.slice(0, half), left, ...lines.slice(-half)]
}
