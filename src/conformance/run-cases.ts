import { gradeAnswer } from './grade.ts'
import { decodeInput } from './input.ts'
import { type Answer, type Declaration, readAnswer, requestOf } from './protocol.ts'
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
/** Characters of standard error that a report keeps for a case. */
const MOST_STDERR = 2048
const MOST_FAILED_STARTS = 3

export interface CaseRun {
  /** By id; a case that is not in it was not run. */
  readonly results: ReadonlyMap<string, CaseResult>
  readonly notes: readonly string[]
  /** Why the run ended early. */
  readonly trouble?: string
}

interface Progress {
  readonly results: Map<string, CaseResult>
  readonly notes: Set<string>
  readonly until: number
  restarts: number
  failedStarts: number
  trouble: string | undefined
}

/** Puts every case to the implementation; `first` is a session that is open already. */
export async function runCases(
  cases: readonly Case[],
  first: Session,
  open: OpenSession,
  suite: Suite,
  declared: Declaration,
  options: Limits & { readonly reveal: boolean },
): Promise<CaseRun> {
  const progress: Progress = {
    results: new Map(),
    notes: new Set(),
    until: Date.now() + RUN_MS * options.slow,
    restarts: 0,
    failedStarts: 0,
    trouble: undefined,
  }
  const jobs = Math.min(options.jobs, Math.max(cases.length, 1))
  const workers = Array.from({ length: jobs }, (_, job) =>
    work(
      cases.filter((_, index) => index % jobs === job),
      job === 0 ? first : undefined,
    ),
  )
  await Promise.all(workers)
  const { results, notes, trouble } = progress
  return { results, notes: [...notes], ...(trouble !== undefined && { trouble }) }

  async function work(mine: readonly Case[], opened: Session | undefined): Promise<void> {
    let session = opened
    /** What this session was asked, the latest last. */
    let history: Case[] = []
    const restart = async (): Promise<void> => {
      await session?.kill()
      session = undefined
      history = []
      progress.restarts += 1
      if (progress.restarts > MOST_RESTARTS) {
        progress.trouble ??= `the adapter had to be started again more than ${MOST_RESTARTS} times`
      }
    }
    for (const published of mine) {
      const request = requestOf(published, decodeInput(published.input), options.reveal)
      const limitMs = (published.budgetMs ?? ANSWER_MS) * options.slow
      for (let asked = false; !asked && mayGoOn(); ) {
        session ??= await start()
        if (session === undefined) continue
        const started = Date.now()
        const reply = await session.ask(request, limitMs)
        if (reply.kind === 'stray') {
          charge(history.at(-reply.back), reply.detail)
          await restart()
          continue
        }
        asked = true
        const result = resultOf(published, reply, Date.now() - started)
        progress.results.set(published.id, result)
        history.push(published)
        const broken = reply.kind !== 'answer' || result.status === 'protocol_error'
        if (!broken || session.survives) continue
        await restart()
        if (reply.kind === 'crash') session = await secondLook(published, request, limitMs)
        history.push(published)
      }
    }
    if (session !== undefined) {
      const { stray, note } = await session.end()
      if (stray !== undefined) charge(history.at(-1), stray)
      if (note !== undefined) progress.notes.add(note)
    }
  }

  function mayGoOn(): boolean {
    if (Date.now() > progress.until) {
      progress.trouble ??= `the run took longer than ${(RUN_MS * options.slow) / 60_000} minutes`
    }
    return progress.trouble === undefined
  }

  async function start(): Promise<Session | undefined> {
    const opened = await open()
    if (!('complaint' in opened)) {
      progress.failedStarts = 0
      return opened
    }
    progress.failedStarts += 1
    if (progress.failedStarts >= MOST_FAILED_STARTS) {
      progress.trouble ??= `the adapter did not start again: ${opened.complaint}`
    }
    return undefined
  }

  /** Tells a case that crashes from one before it that left the process broken. */
  async function secondLook(
    published: Case,
    request: Parameters<Session['ask']>[0],
    limitMs: number,
  ): Promise<Session | undefined> {
    const session = mayGoOn() ? await start() : undefined
    if (session === undefined) return undefined
    const reply = await session.ask(request, limitMs)
    if (reply.kind !== 'answer') {
      await session.kill()
      return undefined
    }
    const result = progress.results.get(published.id)
    if (result !== undefined) {
      const detail = `${result.got}; asked again in a new process it answered`
      progress.results.set(published.id, { ...result, got: detail })
    }
    return session
  }

  function resultOf(
    published: Case,
    reply: Exclude<Reply, { kind: 'stray' }>,
    ms: number,
  ): CaseResult {
    const expected = expectedOf(published)
    if (reply.kind !== 'answer') {
      const { kind, detail, stderr } = reply
      return {
        ...failed(kind, expected, detail),
        ms,
        ...(stderr && { stderr: stderr.slice(-MOST_STDERR) }),
      }
    }
    const answer = readAnswer(reply.value)
    if (typeof answer === 'string') return { ...failed('protocol_error', expected, answer), ms }
    if ('skipped' in answer) return { status: 'unsupported', reached: 'none', got: answer.skipped }
    const { grade, ...graded } = gradeAnswer(published, answer, declared, suite)
    return { status: grade, ...graded, ms, ...detailOf(answer) }
  }

  function charge(published: Case | undefined, detail: string): void {
    if (published === undefined) {
      progress.trouble ??= `a line that answers nothing: ${detail}`
      return
    }
    const got = `a second line behind the answer: ${detail}`
    progress.results.set(published.id, failed('protocol_error', expectedOf(published), got))
  }
}

function failed(status: CaseResult['status'], expected: string, got: string): CaseResult {
  return { status, reached: 'none', expected, got }
}

function expectedOf({ allowed }: Case): string {
  return [...new Set(allowed.map(({ result, reason }) => reason ?? result))].join(' or ')
}

function detailOf(answer: Answer): Pick<CaseResult, 'detail'> {
  return 'detail' in answer && answer.detail !== undefined ? { detail: answer.detail } : {}
}
