import {
  type Expectation,
  type Expected,
  matches,
  readExpectations,
  withoutComment,
} from './expectations.ts'
import { oneLine } from './one-line.ts'
import type { CaseReport, Report } from './report.ts'
import { isRed } from './settle.ts'
import type { Suite } from './suite.ts'

/**
 * The text of an expectations file under which this run has nothing red. Comments stay where they
 * are, and so do lines that are still true; a line that is true of some of its cases is written out
 * for these. A case that fails in another way gets a line of its own, with a reason of its own.
 * What no line may excuse, such as a protocol error, stays red.
 */
export function updateExpectations(
  previous: string | undefined,
  report: Report,
  suite: Suite,
): string {
  const version = suite.version.split('.').slice(0, 2).join('.')
  const text = previous ?? `suite ${version}`
  const { entries } = readExpectations(text, suite)
  const lines = text.trimEnd().split(/\r?\n/u)
  const first = lines.findIndex((line) => withoutComment(line) !== '')
  const covered = new Set<string>()
  const kept = lines.flatMap((line, index) => {
    if (index === first) return [line.replace(/^(\s*suite\s+)[\d.]+/u, `$1${version}`)]
    const entry = entries.find((one) => one.line === index + 1)
    return entry === undefined ? [line] : updated(line, entry, report, covered)
  })
  const added = report.cases.filter(({ id }) => !covered.has(id))
  const all = [...kept, ...added.flatMap((result) => newLine(result, report))]
  return all.map((line) => `${line}${text.includes('\r\n') ? '\r\n' : '\n'}`).join('')
}

/** What becomes of one entry's line. */
function updated(
  line: string,
  { pattern, expected }: Expectation,
  report: Report,
  covered: Set<string>,
): string[] {
  if (report.expectations.stale.some((stale) => stale.pattern === pattern)) return []
  const mine = report.cases.filter(({ id }) => matches(pattern, id))
  for (const { id } of mine) covered.add(id)
  const isTrue = (result: CaseReport) => wordFor(result, expected, report) === expected
  // Also a line of which nothing was part of this run.
  if (mine.every(isTrue)) return [line]
  return mine.flatMap((result) => {
    if (!isTrue(result)) return newLine(result, report)
    const isLeftOut = result.status === 'unsupported' && expected !== 'unsupported'
    return isLeftOut ? [] : [line.replace(pattern, result.id)]
  })
}

function newLine(result: CaseReport, report: Report): string[] {
  const word = wordFor(result, undefined, report)
  return word === undefined ? [] : [`${result.id}  ${word}  ${explained(result)}`]
}

/** What a line must say about a case; `undefined` when none may or need be there. */
function wordFor(
  result: CaseReport,
  before: Expected | undefined,
  { run }: Report,
): Expected | undefined {
  if (result.status === 'xfail' || result.status === 'unsupported') return before
  if (!isRed(result, run.level)) return undefined
  if (result.status === 'inconsistent') return result.reached === 'none' ? 'fail' : 'wrong-reason'
  const words: Readonly<Record<string, Expected>> = {
    fail: 'fail',
    wrong_reason: 'wrong-reason',
    wrong_output: 'wrong-output',
    crash: 'crash',
    timeout: 'timeout',
  }
  return words[result.status]
}

/** The reason that a new line begins with, until somebody writes a better one. */
function explained({ expected = '', got = '' }: CaseReport): string {
  return oneLine(`expected ${expected}, got ${got}`.replaceAll('#', ' '))
}
