import { unknownNames } from './declared.ts'
import { type Expectations, matches, NO_EXPECTATIONS } from './expectations.ts'
import type { Level } from './grade.ts'
import { counted, oneLine } from './one-line.ts'
import { preflight } from './preflight.ts'
import { type Declaration, readDeclaration } from './protocol.ts'
import { buildReport, type Mode, type Report } from './report.ts'
import type { CaseResult } from './result.ts'
import { DEFAULT_LIMITS, type Limits, runCases } from './run-cases.ts'
import { type Selection, selectedCases, selectedProfiles, whyUnsupported } from './select.ts'
import type { OpenSession, Session } from './session.ts'
import { settleChoices, settleExpectations } from './settle.ts'
import { staleEntries } from './stale.ts'
import type { Case, Suite } from './suite.ts'

/** The implementation did not start, or is wired up wrongly; no case was graded. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError'
  /** What the implementation wrote to standard error, as it is. */
  readonly stderr?: string

  constructor(message: string, stderr?: string) {
    super(message)
    if (stderr !== undefined) this.stderr = stderr
  }
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
  const skips = [...graded.values()].filter(({ status }) => status === 'unsupported').length
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
        stale: staleEntries(expectations, {
          ...{ suite, declared, selected, results },
          selection: options,
        }),
      },
      notes: [...ran.notes, ...notesOf(declared, suite, options, selected, skips)],
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
    wrong.find(({ stderr }) => stderr !== undefined)?.stderr,
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

/** What is no failure and yet worth knowing, beside what the run itself noticed. */
function notesOf(
  declared: Declaration,
  suite: Suite,
  { only = [] }: Selection,
  selected: readonly Case[],
  skips: number,
): string[] {
  const empty = only.filter((pattern) => !selected.some(({ id }) => matches(pattern, id)))
  return [
    ...unknownNames(declared, suite),
    ...empty.map((pattern) => `${oneLine(pattern)} matches no case of the schemes of this run`),
    ...(skips === 0
      ? []
      : [`${counted(skips, 'case')} answered with skipped, though what it needs is declared`]),
  ]
}
