import { summaryLine } from '../conformance/markdown.ts'
import type { CaseReport, Report } from '../conformance/report.ts'
import { isRed } from '../conformance/settle.ts'
import type { Severity } from '../conformance/suite.ts'
import { stderrLines } from './conformance-stderr.ts'
import { shown } from './output.ts'

const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low']
const MOST_STDERR_LINES = 5

/** A report for people: what failed, gravest first, then the numbers, and one line at the end. */
export function reportText(report: Report): string {
  const { run, declared, notes, trouble, expectations } = report
  const red = report.cases.filter((result) => isRed(result, run.level))
  const { name, version, language, runtime } = declared.implementation
  return [
    ...SEVERITIES.flatMap((severity) => {
      const cases = red.filter((result) => result.severity === severity && hasRun(result))
      return cases.length === 0 ? [] : [`${severity}:`, ...cases.flatMap(failureLines), '']
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
    ...(report.counts.notRun === 0 ? [] : [`${report.counts.notRun} cases were not run`]),
    ...(report.counts.expectedFailures === 0
      ? []
      : [`${report.counts.expectedFailures} of the skipped failed as expected`]),
    summaryLine(report),
  ].join('\n')
}

function hasRun({ status }: CaseReport): boolean {
  return status !== 'not_run'
}

function failureLines(result: CaseReport): string[] {
  const { id, title, why, status, expected, got, detail, stderr } = result
  return [
    `  ${id} ${status}: ${title}`,
    `    ${why}`,
    `    expected ${shown(expected ?? '')}, got ${shown(got ?? '')}`,
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
