import { gradeAnswer } from './grade.ts'
import { decodeInput } from './input.ts'
import { type Declaration, type Request, readAnswer, requestOf } from './protocol.ts'
import type { CaseResult } from './result.ts'
import type { OpenSession, Reply, Session } from './session.ts'
import type { Case, Suite } from './suite.ts'

/** How long and how often. */
export interface Limits {
  /** Multiplies every time limit. */
  readonly slow: number
  /** Implementations beside each other. */
  readonly jobs: number
}

export const DEFAULT_LIMITS: Limits = { slow: 1, jobs: 1 }

const ANSWER_MS = 2000
const RUN_MS = 600_000
const MOST_RESTARTS = 10
const MOST_FAILED_STARTS = 3
/** Characters of standard error that a report keeps for a case. */
const MOST_STDERR = 2048

export interface CaseRun {
  /** By id; a case that is not in it was not run. */
  readonly results: ReadonlyMap<string, CaseResult>
  readonly notes: readonly string[]
  /** Why the run ended early. */
  readonly trouble?: string
}

/** What all workers of a run share. */
interface Run {
  readonly open: OpenSession
  readonly suite: Suite
  readonly declared: Declaration
  readonly options: Limits & { readonly reveal: boolean }
  readonly until: number
  readonly results: Map<string, CaseResult>
  readonly notes: Set<string>
  restarts: number
  failedStarts: number
  trouble: string | undefined
}

/** One worker's place: its session, and the cases put to it, the latest last. */
interface Seat {
  session: Session | undefined
  asked: Case[]
}

/** Puts every case to the implementation; `first` is a session that is open already. */
export async function runCases(
  cases: readonly Case[],
  first: Session,
  open: OpenSession,
  suite: Suite,
  declared: Declaration,
  options: Run['options'],
): Promise<CaseRun> {
  const run: Run = {
    ...{ open, suite, declared, options },
    until: Date.now() + RUN_MS * options.slow,
    results: new Map(),
    notes: new Set(),
    restarts: 0,
    failedStarts: 0,
    trouble: undefined,
  }
  const jobs = Math.min(options.jobs, Math.max(cases.length, 1))
  const workers = Array.from({ length: jobs }, (_, job) => {
    const mine = cases.filter((_, index) => index % jobs === job)
    return work(run, mine, { session: job === 0 ? first : undefined, asked: [] })
  })
  await Promise.all(workers)
  const { results, notes, trouble } = run
  return { results, notes: [...notes], ...(trouble !== undefined && { trouble }) }
}

async function work(run: Run, mine: readonly Case[], seat: Seat): Promise<void> {
  for (const published of mine) await runCase(run, seat, published)
  if (seat.session === undefined) return
  const { stray, note } = await seat.session.end()
  if (stray !== undefined) charge(run, seat.asked.at(-1), stray)
  if (note !== undefined) run.notes.add(note)
}

/** Puts one case, in a new session where the old one is over. */
async function runCase(run: Run, seat: Seat, published: Case): Promise<void> {
  const request = requestOf(published, decodeInput(published.input), run.options.reveal)
  const limitMs = (published.budgetMs ?? ANSWER_MS) * run.options.slow
  while (mayGoOn(run)) {
    seat.session ??= await start(run)
    if (seat.session === undefined) continue
    const started = Date.now()
    const reply = await seat.session.ask(request, limitMs)
    if (reply.kind !== 'stray') {
      const result = resultOf(run, published, reply, Date.now() - started)
      run.results.set(published.id, result)
      await afterAnswer(run, seat, published, reply, () =>
        secondLook(run, published, request, limitMs),
      )
      return
    }
    charge(run, seat.asked.at(-reply.back), reply.detail)
    await giveUp(run, seat)
  }
}

/** What is wrong with an answer may be wrong with the process: only a new one is trusted. */
async function afterAnswer(
  run: Run,
  seat: Seat,
  published: Case,
  { kind }: Reply,
  lookAgain: () => Promise<Session | undefined>,
): Promise<void> {
  const isBroken = kind !== 'answer' || run.results.get(published.id)?.status === 'protocol_error'
  if (isBroken && seat.session?.survives === false) {
    await giveUp(run, seat)
    if (kind === 'crash') seat.session = await lookAgain()
  }
  seat.asked.push(published)
}

/** Ends a session that cannot be used any more. */
async function giveUp(run: Run, seat: Seat): Promise<void> {
  await seat.session?.kill()
  seat.session = undefined
  seat.asked = []
  run.restarts += 1
  if (run.restarts > MOST_RESTARTS) {
    run.trouble ??= `the adapter had to be started again more than ${MOST_RESTARTS} times`
  }
}

async function start(run: Run): Promise<Session | undefined> {
  const opened = await run.open()
  if (!('complaint' in opened)) {
    run.failedStarts = 0
    return opened
  }
  run.failedStarts += 1
  if (run.failedStarts >= MOST_FAILED_STARTS) {
    run.trouble ??= `the adapter did not start again: ${opened.complaint}`
  }
  return undefined
}

function mayGoOn(run: Run): boolean {
  if (Date.now() > run.until) {
    run.trouble ??= `the run took longer than ${(RUN_MS * run.options.slow) / 60_000} minutes`
  }
  return run.trouble === undefined
}

/** Tells a case that crashes from one before it that left the process broken. */
async function secondLook(
  run: Run,
  { id }: Case,
  request: Request,
  limitMs: number,
): Promise<Session | undefined> {
  const session = mayGoOn(run) ? await start(run) : undefined
  if (session === undefined) return undefined
  const reply = await session.ask(request, limitMs)
  if (reply.kind !== 'answer') {
    await session.kill()
    return undefined
  }
  const result = run.results.get(id)
  if (result !== undefined) {
    const got = `${result.got}; asked again in a new process it answered`
    run.results.set(id, { ...result, got })
  }
  return session
}

function resultOf(
  { declared, suite }: Run,
  published: Case,
  reply: Exclude<Reply, { kind: 'stray' }>,
  ms: number,
): CaseResult {
  if (reply.kind !== 'answer') {
    const { kind, detail, stderr = '' } = reply
    const words = stderr === '' ? {} : { stderr: stderr.slice(-MOST_STDERR) }
    return { ...failed(kind, published, detail), ms, ...words }
  }
  const answer = readAnswer(reply.value)
  if (typeof answer === 'string') return { ...failed('protocol_error', published, answer), ms }
  if ('skipped' in answer) return { status: 'unsupported', reached: 'none', got: answer.skipped }
  const { grade, ...graded } = gradeAnswer(published, answer, declared, suite)
  const words = 'detail' in answer && answer.detail !== undefined ? { detail: answer.detail } : {}
  return { status: grade, ...graded, ms, ...words }
}

/** A line that answers nothing is the fault of the case before it. */
function charge(run: Run, published: Case | undefined, detail: string): void {
  if (published === undefined) {
    run.trouble ??= `a line that answers nothing: ${detail}`
    return
  }
  const got = `a second line behind the answer: ${detail}`
  run.results.set(published.id, failed('protocol_error', published, got))
}

function failed(status: CaseResult['status'], { allowed }: Case, got: string): CaseResult {
  const expected = [...new Set(allowed.map(({ result, reason }) => reason ?? result))].join(' or ')
  return { status, reached: 'none', expected, got }
}
