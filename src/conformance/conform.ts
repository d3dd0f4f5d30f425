import { type Expectations, matches, NO_EXPECTATIONS } from './expectations.ts'
import type { Level } from './grade.ts'
import { preflight } from './preflight.ts'
import { type Declaration, readDeclaration } from './protocol.ts'
import { buildReport, type Mode, type Report } from './report.ts'
import type { CaseResult } from './result.ts'
import { DEFAULT_LIMITS, type Limits, runCases } from './run-cases.ts'
import { type Selection, selectedCases, selectedProfiles, whyUnsupported } from './select.ts'
import type { OpenSession, Session } from './session.ts'
import { settleChoices, settleExpectations } from './settle.ts'
import type { Case, Suite } from './suite.ts'

/** The implementation did not start, or is wired up wrongly; no case was graded. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError'
}

export interface ConformOptions extends Selection, Partial<Limits> {
  readonly suite: Suite
  readonly open: OpenSession
  readonly mode: Mode
  /** Of the runner. */
  readonly version?: string
  readonly level?: Level
  readonly expectations?: Expectations
  readonly reveal?: boolean
  /** Also runs what is expected to crash or to hang. */
  readonly runDangerous?: boolean
}

/** Starts an implementation, tries it, puts the cases to it and grades the answers. */
export async function conform(options: ConformOptions): Promise<Report> {
  const { suite, open, mode, level = 'verdict', expectations = NO_EXPECTATIONS } = options
  const { session, declared } = await openFirst(open, suite)
  const schemes = selectedProfiles(suite, declared, options)
  const selected = selectedCases(suite, declared, options)
  const { skipped, asked } = deal(selected, declared, expectations, options.runDangerous === true)
  const reveal = options.reveal === true
  const limits = {
    slow: options.slow ?? DEFAULT_LIMITS.slow,
    jobs: options.jobs ?? DEFAULT_LIMITS.jobs,
  }
  if (asked.length > 0) await tryOut(session, suite, declared, schemes, limits.slow)
  const ran = await runCases(asked, session, open, suite, declared, { ...limits, reveal })
  const consistent = settleChoices(asked, ran.results, declared)
  const graded = settleExpectations(consistent.results, expectations, level)
  const results = new Map([...skipped, ...graded])
  return buildReport(
    {
      runner: {
        name: 'hookproof',
        ...(options.version !== undefined && { version: options.version }),
      },
      suite: { version: suite.version, digest: suite.digest },
      declared,
      run: { mode, level, schemes, ...(options.only && { only: options.only }), reveal },
      choices: consistent.taken,
      expectations: {
        entries: expectations.entries,
        stale: staleEntries(expectations, suite, selected, declared, results),
      },
      notes: [...ran.notes, ...unknownNames(declared, suite)],
      ...(ran.trouble !== undefined && { trouble: ran.trouble }),
    },
    selected,
    results,
  )
}

async function openFirst(
  open: OpenSession,
  suite: Suite,
): Promise<{ session: Session; declared: Declaration }> {
  const session = await open()
  if ('complaint' in session) throw new AdapterError(session.complaint)
  const declared = readDeclaration(session.hello, suite)
  if (typeof declared !== 'string') return { session, declared }
  await session.kill()
  throw new AdapterError(`the answer to hello is wrong: ${declared}`)
}

async function tryOut(
  session: Session,
  suite: Suite,
  declared: Declaration,
  schemes: readonly string[],
  slow: number,
): Promise<void> {
  const { steps, hint } = await preflight(session, suite, declared, schemes, slow)
  const wrong = steps.filter(({ problem }) => problem !== undefined)
  if (wrong.length === 0) return
  await session.kill()
  const lines = wrong.map(({ name, problem }) => `  ${name}: ${problem}`)
  throw new AdapterError(
    ['the trial before the suite failed:', ...lines, ...(hint === undefined ? [] : [hint])].join(
      '\n',
    ),
  )
}

/** Sorts out what is not asked for, with the result that it has by that. */
function deal(
  selected: readonly Case[],
  declared: Declaration,
  { byCase }: Expectations,
  runDangerous: boolean,
): { skipped: Map<string, CaseResult>; asked: readonly Case[] } {
  const skipped = new Map<string, CaseResult>()
  const asked = selected.filter((published) => {
    const why = whyUnsupported(published, declared)
    const entry = byCase.get(published.id)
    if (why !== undefined) {
      skipped.set(published.id, { status: 'unsupported', reached: 'none', got: why })
    } else if (entry?.expected === 'unsupported') {
      skipped.set(published.id, { status: 'unsupported', reached: 'none', got: entry.text })
    } else if (/^(?:crash|timeout)$/u.test(entry?.expected ?? '') && !runDangerous) {
      const expectation = entry?.text ?? ''
      skipped.set(published.id, { status: 'xfail', reached: 'none', got: 'not run', expectation })
    }
    return !skipped.has(published.id)
  })
  return { skipped, asked }
}

/** Entries that match no case, or only cases that are left out without them. */
function staleEntries(
  { entries }: Expectations,
  suite: Suite,
  selected: readonly Case[],
  declared: Declaration,
  results: ReadonlyMap<string, CaseResult>,
): { pattern: string; why: string }[] {
  return entries.flatMap(({ pattern, expected }) => {
    if (!suite.cases.some(({ id }) => matches(pattern, id))) {
      return [{ pattern, why: 'no case has this id' }]
    }
    const mine = selected.filter(({ id }) => matches(pattern, id))
    const isLeftOut = (published: Case) =>
      whyUnsupported(published, declared) !== undefined ||
      (expected !== 'unsupported' && results.get(published.id)?.status === 'unsupported')
    return mine.length > 0 && mine.every(isLeftOut)
      ? [{ pattern, why: 'the adapter does not declare what it needs, so it is left out anyway' }]
      : []
  })
}

/** A misspelt capability would leave cases out in silence. */
function unknownNames(
  { capabilities, profiles, choices = {} }: Declaration,
  suite: Suite,
): string[] {
  const known = {
    capability: [capabilities, suite.capabilities],
    scheme: [profiles, suite.profiles],
    choice: [Object.keys(choices), [...suite.choices.keys()]],
  } as const
  return Object.entries(known).flatMap(([kind, [given, all]]) =>
    given.filter((name) => !all.includes(name)).map((name) => `no ${kind} is named ${name}`),
  )
}
