import { summaryLine } from '../conformance/markdown.ts'
import { counted } from '../conformance/one-line.ts'
import type { CaseReport, Report } from '../conformance/report.ts'
import { isRed } from '../conformance/settle.ts'
import type { Severity } from '../conformance/suite.ts'
import { stderrLines } from './conformance-stderr.ts'
import { shown } from './output.ts'

const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low']
const MOST_STDERR_LINES = 5
const MOST_ALIKE = 3
const MOST_NAMES = 10

/** A report for people: what failed, gravest first, then the numbers, and one line at the end. */
export function reportText(report: Report): string {
  const { run, declared, notes, trouble, expectations } = report
  const red = report.cases.filter((result) => isRed(result, run.level))
  const { name, version, language, runtime } = declared.implementation
  return [
    ...SEVERITIES.flatMap((severity) => {
      const cases = red.filter((result) => result.severity === severity && hasRun(result))
      return cases.length === 0 ? [] : [`${severity}:`, ...alike(cases).flatMap(groupLines), '']
    }),
    ...expectations.stale.map(({ pattern, why }) => `stale expectation ${pattern}: ${why}`),
    ...notes.map((note) => `note: ${shown(note)}`),
    ...(run.reveal ? ['note: ids were sent, so this run proves nothing'] : []),
    ...skippedLines(report),
    `${shown(name)} ${shown(version)}, ${shown(language)}${runtime === undefined ? '' : `, ${shown(runtime)}`}; ${run.mode}; suite ${report.suite.version}`,
    ...report.levels.map(
      ({ profile, run: count, verdict, class: byClass, exact, skipped }) =>
        `${profile}: verdict ${verdict} of ${count}, class ${byClass} of ${count}, exact ${exact} of ${count}, ${skipped} skipped`,
    ),
    ...(trouble === undefined ? [] : [`the run ended early: ${trouble}`]),
    ...(report.counts.notRun === 0 ? [] : [`not run: ${counted(report.counts.notRun, 'case')}`]),
    ...(report.counts.expectedFailures === 0
      ? []
      : [`${report.counts.expectedFailures} of the skipped failed as expected`]),
    ...timeLines(report),
    summaryLine(report),
  ].join('\n')
}

function hasRun({ status }: CaseReport): boolean {
  return status !== 'not_run'
}

/** Cases that failed in one and the same way, in the order of the first of each. */
function alike(cases: readonly CaseReport[]): readonly (readonly CaseReport[])[] {
  const groups = new Map<string, CaseReport[]>()
  for (const result of cases) {
    const { status, expected = '', got = '' } = result
    // A member that is wrong everywhere has another value in each case.
    const how = [expected, got].map((text) => (status === 'wrong_output' ? masked(text) : text))
    const key = [status, ...how].join('\n')
    groups.set(key, [...(groups.get(key) ?? []), result])
  }
  return [...groups.values()]
}

function masked(text: string): string {
  return text.replace(/ (?:"(?:[^"\\]|\\.)*"|-?\d.*)$/u, (value) =>
    value[1] === '"' ? ' text' : ' number',
  )
}

/** Each of a few; of many the first, and the names of the rest. */
function groupLines(cases: readonly CaseReport[]): string[] {
  const [first, ...rest] = cases
  if (first === undefined || cases.length <= MOST_ALIKE) return cases.flatMap(failureLines)
  const names = rest.slice(0, MOST_NAMES).map(({ id }) => id)
  const more = rest.length > names.length ? ' … (all are in the report of --json)' : ''
  return [
    ...failureLines(first),
    `  and in the same way ${counted(rest.length, 'more case')}: ${names.join(' ')}${more}`,
  ]
}

function failureLines(result: CaseReport): string[] {
  const { id, title, why, status, expected, got, detail, stderr, expectation } = result
  return [
    `  ${id} ${status}: ${title}`,
    `    ${why}`,
    status === 'xpass'
      ? `    passes, although the expectations file has it (${shown(expectation ?? '')}); remove its line`
      : `    expected ${shown(expected ?? '')}, got ${shown(got ?? '')}`,
    ...(detail === undefined ? [] : [`    it says: ${shown(detail)}`]),
    ...stderrLines(stderr, MOST_STDERR_LINES).map((line) => `    stderr: ${line}`),
    `    look closer: --only ${id} --reveal`,
  ]
}

/** Why cases were skipped, by how many. */
function skippedLines({ cases }: Report): string[] {
  const counts = new Map<string, number>()
  for (const { status, got = '' } of cases) {
    if (status === 'unsupported') counts.set(got, (counts.get(got) ?? 0) + 1)
  }
  return [...counts].map(([why, count]) => `${count} skipped: ${shown(why)}`)
}

/** What the answers took, one after the other; starts and the trial are not in it. */
function timeLines({ cases }: Report): string[] {
  const times = cases.flatMap(({ ms }) => ms ?? [])
  const seconds = times.reduce((sum, ms) => sum + ms, 0) / 1000
  return times.length === 0 ? [] : [`${counted(times.length, 'answer')} in ${seconds.toFixed(1)} s`]
}
