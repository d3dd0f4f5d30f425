import { type Expected, matches, readExpectations } from './expectations.ts'
import type { CaseReport, Report } from './report.ts'
import { isRed } from './settle.ts'
import type { Suite } from './suite.ts'

/**
 * The text of an expectations file under which this run has nothing red: comments and lines that are
 * still true stay as they are, others are changed, left out or added. What no line may excuse, such
 * as a protocol error, stays red.
 */
export function updateExpectations(
  previous: string | undefined,
  report: Report,
  suite: Suite,
): string {
  const before = previous === undefined ? undefined : readExpectations(previous, suite)
  const covered = new Set<string>()
  const kept = (previous ?? '').split(/\r?\n/u).flatMap((line, index) => {
    const entry = before?.entries.find((one) => one.line === index + 1)
    if (entry === undefined) return /^\s*suite\s/u.test(line) ? [] : [line]
    const mine = report.cases.filter(({ id }) => matches(entry.pattern, id))
    const stale = report.expectations.stale.some(({ pattern }) => pattern === entry.pattern)
    if (stale) return []
    // Not part of this run.
    if (mine.length === 0) return [line]
    for (const { id } of mine) covered.add(id)
    const words = mine.map((result) => wordFor(result, entry.expected, report))
    if (words.every((word) => word === entry.expected)) return [line]
    return mine.flatMap(({ id }, at) => {
      const word = words[at]
      return word === undefined ? [] : [`${id}  ${word}  ${entry.text}`]
    })
  })
  const added = report.cases.flatMap((result) => {
    const word = covered.has(result.id) ? undefined : wordFor(result, undefined, report)
    return word === undefined ? [] : [`${result.id}  ${word}  ${explained(result)}`]
  })
  const [major, minor] = suite.version.split('.')
  const body = [...kept.join('\n').trim().split('\n'), ...added].filter(
    (line, index, lines) => line !== '' || (index > 0 && index < lines.length - 1),
  )
  return `${[`suite ${major}.${minor}`, ...body].join('\n')}\n`
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
  return `expected ${expected}, got ${got}`.replace(/[\p{C}#\s]+/gu, ' ').slice(0, 200)
}
