import type { Case, Suite } from './suite.ts'

/** What an expectations file may say about a case. */
export type Expected =
  | 'fail'
  | 'wrong-reason'
  | 'wrong-output'
  | 'unsupported'
  | 'crash'
  | 'timeout'

const EXPECTED: readonly string[] = [
  'fail',
  'wrong-reason',
  'wrong-output',
  'unsupported',
  'crash',
  'timeout',
] satisfies Expected[]

/** One line of an expectations file. */
export interface Expectation {
  readonly pattern: string
  readonly expected: Expected
  /** Why: an address or a sentence. */
  readonly text: string
  readonly line: number
}

export interface Expectations {
  readonly entries: readonly Expectation[]
  /** The entry of each case that one matches. */
  readonly byCase: ReadonlyMap<string, Expectation>
}

export const NO_EXPECTATIONS: Expectations = { entries: [], byCase: new Map() }

/** An expectations file that cannot be followed; the message names the line. */
export class ExpectationsError extends Error {
  override readonly name = 'ExpectationsError'
}

/** More cases than this under one `*` would hide what they are. */
const MOST_MATCHES = 20

/**
 * Reads an expectations file: one `suite` line, then one line a case or a `*` of a group, each with
 * what is expected and why.
 *
 * @throws `ExpectationsError` naming the line that is wrong
 */
export function readExpectations(text: string, suite: Suite): Expectations {
  const lines = text.split(/\r?\n/u).map(withoutComment)
  const first = lines.findIndex((line) => line !== '')
  checkVersion(lines[first] ?? '', first + 1, suite)
  const entries = lines.flatMap((line, index) =>
    line === '' || index === first ? [] : [readEntry(line, index + 1)],
  )
  const byCase = new Map<string, Expectation>()
  for (const entry of entries) {
    for (const { id } of matching(entry, suite.cases)) {
      const other = byCase.get(id)
      if (other !== undefined) wrong(entry.line, `${id} stands in line ${other.line} already`)
      byCase.set(id, entry)
    }
  }
  return { entries, byCase }
}

/** A `#` begins a comment at the start or behind white space, so that addresses may hold one. */
export function withoutComment(line: string): string {
  return line.replace(/(?:^|\s)#.*$/u, '').trim()
}

function checkVersion(line: string, number: number, suite: Suite): void {
  const written = /^suite\s+(\d+)(?:\.\d+){0,2}$/u.exec(line)
  if (written === null) {
    wrong(Math.max(number, 1), 'the first line must name the suite, such as: suite 1.0')
  }
  const [major] = suite.version.split('.')
  if (written[1] !== major) {
    wrong(number, `written for suite ${written[1]}, this is ${suite.version}; go through it again`)
  }
}

function readEntry(line: string, number: number): Expectation {
  const [pattern = '', expected = '', ...words] = line.split(/\s+/u)
  if (!/^[a-z][a-z0-9-]*\/[a-z]{3}-(?:\d{3}|\d{0,2}\*)$/u.test(pattern)) {
    wrong(number, 'it must begin with an id, or with one of a group cut short by *: paymos/tim-0*')
  }
  if (!EXPECTED.includes(expected)) {
    wrong(number, `behind the id stands one of ${EXPECTED.join(', ')}`)
  }
  if (words.length === 0) wrong(number, 'it must say why, by an address or a sentence')
  return { pattern, expected: expected as Expected, text: words.join(' '), line: number }
}

function matching({ pattern, line }: Expectation, cases: readonly Case[]): readonly Case[] {
  const found = cases.filter(({ id }) => matches(pattern, id))
  if (found.length > MOST_MATCHES) {
    wrong(line, `${pattern} matches ${found.length} cases, more than ${MOST_MATCHES}; name fewer`)
  }
  return found
}

/** An id, or the beginning of ids with a `*` at its end. */
export function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern
}

function wrong(line: number, message: string): never {
  throw new ExpectationsError(`line ${line}: ${message}`)
}
