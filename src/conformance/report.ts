import type { Expectation } from './expectations.ts'
import type { Level } from './grade.ts'
import type { Declaration } from './protocol.ts'
import type { CaseResult, Status } from './result.ts'
import { isRed } from './settle.ts'
import type { Case, Severity } from './suite.ts'

/** How the implementation was run. */
export type Mode = 'stream' | 'oneshot' | 'in-process'

/** A whole run, as data. `vectors/schema/report.schema.json` describes its JSON. */
export interface Report {
  readonly schemaVersion: 1
  readonly runner: { readonly name: 'hookproof'; readonly version?: string }
  readonly suite: { readonly version: string; readonly digest: string }
  readonly declared: Declaration
  readonly run: {
    readonly mode: Mode
    /** What decides whether a case failed. */
    readonly level: Level
    readonly schemes: readonly string[]
    /** The ids asked for, when not all. */
    readonly only?: readonly string[]
    /** Whether ids were sent, which lets an adapter know the answers. */
    readonly reveal: boolean
  }
  readonly outcome: ReportOutcome
  readonly counts: Counts
  /** How many of the cases that ran were right at each level, by scheme. */
  readonly levels: readonly LevelCounts[]
  readonly groups: readonly GroupCounts[]
  readonly severities: Readonly<Record<Severity, Tally>>
  /** The answer given to each open question. */
  readonly choices: Readonly<Record<string, string>>
  readonly expectations: {
    readonly entries: readonly Expectation[]
    /** Entries that say nothing about this run any more. */
    readonly stale: readonly { readonly pattern: string; readonly why: string }[]
  }
  /** What is no failure and yet worth knowing. */
  readonly notes: readonly string[]
  /** Why the run ended early. */
  readonly trouble?: string
  readonly cases: readonly CaseReport[]
}

/** `trouble`: the run ended early. `nothing_run`: every case was left out. */
export type ReportOutcome = 'passed' | 'failed' | 'trouble' | 'nothing_run'

export interface Tally {
  readonly passed: number
  readonly failed: number
  /** Not asked for, or failed as expected: never counted as passed. */
  readonly skipped: number
}

export interface Counts extends Tally {
  /** How many of the skipped did fail, as the expectations file says. */
  readonly expectedFailures: number
  /** How many of the failed were not reached. */
  readonly notRun: number
  /** How many of the failed are lines of the expectations file. */
  readonly staleExpectations: number
}

export interface LevelCounts extends Readonly<Record<Level, number>> {
  readonly profile: string
  readonly run: number
  readonly skipped: number
}

export interface GroupCounts extends Tally {
  readonly profile: string
  readonly group: string
}

export interface CaseReport extends CaseResult {
  readonly id: string
  readonly severity: Severity
  readonly title: string
  readonly why: string
}

export type ReportParts = Omit<
  Report,
  'schemaVersion' | 'outcome' | 'counts' | 'levels' | 'groups' | 'severities' | 'cases'
>

const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low']
/** The statuses of cases that no answer was asked for. */
const UNASKED: readonly Status[] = ['unsupported', 'not_run']

/** Counts the cases; `results` has one for each of them. */
export function buildReport(
  parts: ReportParts,
  cases: readonly Case[],
  results: ReadonlyMap<string, CaseResult>,
): Report {
  const { level, schemes } = parts.run
  const rows = cases.map((published) => ({
    ...published,
    result: results.get(published.id) ?? NOT_RUN,
  }))
  const tallied = (wanted: (row: (typeof rows)[number]) => boolean): Tally =>
    tally(
      rows.filter(wanted).map(({ result }) => result),
      level,
    )
  const groups = new Map(
    rows.map(({ profile, group }) => [`${profile}/${group}`, { profile, group }]),
  )
  const counts = countsOf(
    rows.map(({ result }) => result),
    level,
    parts.expectations.stale.length,
  )
  return {
    schemaVersion: 1,
    ...parts,
    outcome: outcomeOf(
      parts,
      counts,
      rows.every(({ result }) => UNASKED.includes(result.status)),
    ),
    counts,
    levels: schemes.map((name) =>
      levelCounts(
        name,
        rows.filter(({ profile }) => profile === name).map(({ result }) => result),
      ),
    ),
    groups: [...groups.values()].map(({ profile, group }) => ({
      profile,
      group,
      ...tallied((row) => row.profile === profile && row.group === group),
    })),
    severities: Object.fromEntries(
      SEVERITIES.map((severity) => [severity, tallied((row) => row.severity === severity)]),
    ) as Record<Severity, Tally>,
    cases: rows.map(({ id, severity, title, why, result }) => ({
      id,
      severity,
      title,
      why,
      ...result,
    })),
  }
}

const NOT_RUN: CaseResult = { status: 'not_run', reached: 'none' }

function tally(results: readonly CaseResult[], level: Level): Tally {
  const failed = results.filter((result) => isRed(result, level)).length
  const skipped = results.filter(
    ({ status }) => status === 'unsupported' || status === 'xfail',
  ).length
  return { passed: results.length - failed - skipped, failed, skipped }
}

function countsOf(results: readonly CaseResult[], level: Level, stale: number): Counts {
  const having = (wanted: Status) => results.filter(({ status }) => status === wanted).length
  const { passed, failed, skipped } = tally(results, level)
  return {
    passed,
    failed: failed + stale,
    skipped,
    expectedFailures: having('xfail'),
    notRun: having('not_run'),
    staleExpectations: stale,
  }
}

function levelCounts(profile: string, results: readonly CaseResult[]): LevelCounts {
  const run = results.filter(({ status }) => !UNASKED.includes(status))
  const reaching = (...levels: readonly string[]) =>
    run.filter(({ reached }) => levels.includes(reached)).length
  return {
    profile,
    run: run.length,
    skipped: results.length - run.length,
    verdict: reaching('verdict', 'class', 'exact'),
    class: reaching('class', 'exact'),
    exact: reaching('exact'),
  }
}

function outcomeOf({ trouble }: ReportParts, counts: Counts, nothingRun: boolean): ReportOutcome {
  if (trouble !== undefined || counts.notRun > 0) return 'trouble'
  if (nothingRun) return 'nothing_run'
  return counts.failed > 0 ? 'failed' : 'passed'
}
