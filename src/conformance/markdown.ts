import { oneLine } from './one-line.ts'
import type { Report } from './report.ts'
import { isRed } from './settle.ts'

/** The numbers in one line, the last of every report. */
export function summaryLine({
  counts: { passed, failed, skipped },
}: Pick<Report, 'counts'>): string {
  return `conformance: ${passed} passed, ${failed} failed, ${skipped} skipped`
}

/** A report as Markdown, without times, so that two runs of the same adapter compare equal. */
export function toMarkdown(report: Report): string {
  const { suite, declared, run, levels, groups, cases, expectations } = report
  const { name, version, language } = declared.implementation
  const red = cases.filter((result) => isRed(result, run.level))
  const grave = red.filter(({ severity }) => severity === 'critical' || severity === 'high')
  const expected = cases.filter(({ status }) => status === 'xfail')
  const skipped = new Set(
    cases.filter(({ status }) => status === 'unsupported').map(({ got = '' }) => got),
  )
  return [
    `# ${cell(name)} ${cell(version)}, ${cell(language)}`,
    '',
    `Suite ${suite.version}, level ${run.level}, mode ${run.mode}${run.reveal ? ', **ids were sent**' : ''}.`,
    '',
    ...table(
      ['scheme', 'verdict', 'class', 'exact', 'skipped'],
      levels.map(({ profile, run: count, verdict, class: byClass, exact, skipped }) => [
        profile,
        ...[verdict, byClass, exact].map((reached) => `${reached} of ${count}`),
        String(skipped),
      ]),
    ),
    ...table(
      ['group', 'passed', 'failed', 'skipped'],
      groups.map(({ profile, group, ...tally }) => [
        `${profile}/${group}`,
        ...[tally.passed, tally.failed, tally.skipped].map(String),
      ]),
    ),
    ...section(
      'Failed: critical and high',
      grave.map(
        ({ id, status, title, expected, got }) =>
          `${id} ${status}: ${title}; expected ${cell(expected ?? '')}, got ${cell(got ?? '')}`,
      ),
    ),
    ...section(
      'Expected failures',
      expected.map(({ id, expectation = '' }) => `${id}: ${cell(expectation)}`),
    ),
    ...section(
      'Expectations that are not true any more',
      expectations.stale.map(({ pattern, why }) => `${pattern}: ${why}`),
    ),
    ...section('Skipped', [...skipped].map(cell)),
    ...section('Notes', [
      ...report.notes.map(cell),
      ...(report.trouble === undefined ? [] : [`The run ended early: ${cell(report.trouble)}`]),
    ]),
    `\`${summaryLine(report)}\``,
    '',
  ].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line), '']
}

function section(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`## ${title}`, '', ...items.map((item) => `* ${item}`), '']
}

/** Somebody else's text as plain text: on one line, without anything that Markdown or HTML reads. */
function cell(text: string): string {
  return oneLine(text, 500).replace(/[\\`*_[\]<>|#&~]/gu, (mark) => `&#${mark.charCodeAt(0)};`)
}
