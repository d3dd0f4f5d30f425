import { conform } from './conform.ts'
import { NO_EXPECTATIONS, readExpectations } from './expectations.ts'
import type { Level } from './grade.ts'
import type { MacInput, SignInput, VerifyInput } from './input.ts'
import { oneLine } from './one-line.ts'
import type { Answer, Declaration, Request } from './protocol.ts'
import type { Report } from './report.ts'
import type { OpenSession } from './session.ts'
import { OPS, type Op, type Suite } from './suite.ts'
import { checkSuiteOptions } from './suite-options.ts'

/** An implementation given as functions. Those that it has are its operations. */
export interface Operations {
  /** Judges a delivery by the rules of the scheme that `profile` names. */
  verify?(input: VerifyInput, profile: string): Answer | Promise<Answer>
  /** Makes the signature header of a delivery. */
  sign?(input: SignInput, profile: string): Answer | Promise<Answer>
  /** HMAC-SHA256 in lower-case hex. */
  mac?(input: MacInput, profile: string): Answer | Promise<Answer>
}

/** What `runSuite` takes. */
export interface RunSuiteOptions extends Operations, Omit<Declaration, 'ops'> {
  readonly suite: Suite
  /** What decides whether a case failed; `verdict` by default. */
  readonly level?: Level
  /** Only these schemes, by default all in `profiles`. */
  readonly schemes?: readonly string[]
  /** Only these cases: ids, or their beginning and a `*`. */
  readonly only?: readonly string[]
  /** The text of an expectations file. */
  readonly expectations?: string
}

/**
 * Runs the vectors against an implementation in this process, and grades it as
 * `hookproof conformance run` grades one in another language.
 *
 * A function that throws or rejects is a crash, whatever was expected: catch what your library
 * documents as a refusal, and nothing else. A call is waited for as long as it takes; the limit is
 * that of your test runner.
 *
 * @returns the report; `report.outcome` is `passed` when nothing failed
 * @throws `AdapterError` when the declaration is wrong, or when a good, a tampered and a malformed
 * delivery are not told apart
 * @throws `ExpectationsError` when the expectations cannot be followed
 * @throws `WebhookConfigError` when an option is unknown or not what it must be
 * @example
 * ```ts
 * import { createHmac, timingSafeEqual } from 'node:crypto'
 * import { readFile } from 'node:fs/promises'
 * import { loadSuite, runSuite, summaryLine } from 'hookproof/conformance'
 *
 * const folder = new URL('.', import.meta.resolve('hookproof/vectors/manifest.json'))
 * const suite = await loadSuite((path) => readFile(new URL(path, folder), 'utf8'))
 *
 * export const report = await runSuite({
 *   suite,
 *   implementation: { name: 'my-webhooks', version: '1.0.0', language: 'typescript' },
 *   profiles: ['github'],
 *   capabilities: [],
 *   verify({ header, body, secrets: [secret] }) {
 *     if (!secret?.length || (body?.length ?? 0) > 1_048_576) return { result: 'invalid' }
 *     const mac = createHmac('sha256', secret).update(body ?? '').digest('hex')
 *     const [expected, given] = [Buffer.from(`sha256=${mac}`), Buffer.from(header ?? '')]
 *     const isEqual = expected.length === given.length && timingSafeEqual(expected, given)
 *     return isEqual ? { result: 'valid' } : { result: 'invalid' }
 *   },
 * })
 * console.log(summaryLine(report))
 * ```
 */
export async function runSuite(options: RunSuiteOptions): Promise<Report> {
  checkSuiteOptions({ ...options })
  const { suite, level, schemes, only, expectations } = options
  return await conform({
    suite,
    open: openFunctions(options),
    mode: 'in-process',
    ...(level !== undefined && { level }),
    schemes,
    only,
    expectations:
      expectations === undefined ? NO_EXPECTATIONS : readExpectations(expectations, suite),
  })
}

/** Functions as a session: nothing is started, and no question that failed leaves anything broken. */
function openFunctions(options: RunSuiteOptions): OpenSession {
  const ops = OPS.filter((op) => options[op] !== undefined)
  return async () => ({
    hello: { ...options, ops },
    survives: true,
    async ask({ profile, op, input }: Request) {
      try {
        return { kind: 'answer', value: await call(options, op, input, profile) }
      } catch (error) {
        return { kind: 'crash', detail: `threw ${thrownText(error)}` }
      }
    },
    end: async () => ({}),
    kill: async () => {},
  })
}

/** Anything may be thrown, also what cannot be made text. */
function thrownText(thrown: unknown): string {
  try {
    return oneLine(thrown instanceof Error ? String(thrown) : JSON.stringify(thrown))
  } catch {
    return `a value of type ${typeof thrown}`
  }
}

/** The input of a case is that of its operation. */
function call(operations: Operations, op: Op, input: unknown, profile: string): unknown {
  if (op === 'verify') return operations.verify?.(input as VerifyInput, profile)
  if (op === 'sign') return operations.sign?.(input as SignInput, profile)
  return operations.mac?.(input as MacInput, profile)
}
