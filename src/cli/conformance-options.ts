import {
  type Expectations,
  ExpectationsError,
  NO_EXPECTATIONS,
  readExpectations,
} from '../conformance/expectations.ts'
import { LEVELS, type Level } from '../conformance/grade.ts'
import { helloMessage } from '../conformance/protocol.ts'
import type { OpenSession } from '../conformance/session.ts'
import type { Suite } from '../conformance/suite.ts'
import { type Arguments, optionValue, refuseProgram } from './arguments.ts'
import { openOneshot } from './conformance-oneshot.ts'
import { openStream } from './conformance-process.ts'
import { OWN_VECTORS, readVectors } from './conformance-vectors.ts'
import { readInput } from './input.ts'
import { countValue, listValue, oneOf } from './option-values.ts'
import { misuse } from './usage-error.ts'
import { version } from './version.ts'

/** The options of every command that starts an adapter. */
export const ADAPTER_OPTIONS = {
  mode: 'value',
  scheme: 'list',
  slow: 'value',
  vectors: 'value',
  help: 'flag',
  version: 'flag',
} as const

export const ADAPTER_HELP = `  --mode MODE          stream: one process for the whole run (default);
                       oneshot: a process for every question
  --scheme NAME        only this scheme; may be repeated (default: all that the adapter declares)
  --slow N             multiplies every time limit, such as 10 or 0.5
  --vectors DIR        another copy of the vectors`

export interface AdapterRun {
  readonly suite: Suite
  readonly mode: 'stream' | 'oneshot'
  readonly open: OpenSession
  readonly slow: number
  readonly schemes: readonly string[] | undefined
}

/** What the options and the program behind `--` say, with the vectors read and checked. */
export async function readAdapterRun(
  args: Arguments,
  program: readonly string[],
): Promise<AdapterRun> {
  if (program.length === 0) refuseProgram()
  const mode = oneOf(args, 'mode', ['stream', 'oneshot']) ?? 'stream'
  const slow = readSlow(args)
  const suite = await readVectors(optionValue(args, 'vectors') ?? OWN_VECTORS)
  const adapter = { command: program, hello: helloMessage(suite, version()), slow }
  const open = mode === 'stream' ? openStream(adapter) : openOneshot(adapter)
  return { suite, mode, open, slow, schemes: readSchemes(args, suite) }
}

export function readLevel(args: Arguments): Level {
  return oneOf(args, 'level', LEVELS) ?? 'verdict'
}

export function readJobs(args: Arguments): number {
  return countValue(args, 'jobs', { from: 1, to: 64 }) ?? 1
}

/** The expectations file of `--expect`, if there is one. */
export async function readExpectationsOption(args: Arguments, suite: Suite): Promise<Expectations> {
  const file = optionValue(args, 'expect')
  return file === undefined ? NO_EXPECTATIONS : parseExpectations(await readText(file), suite)
}

export function parseExpectations(text: string, suite: Suite): Expectations {
  try {
    return readExpectations(text, suite)
  } catch (error) {
    if (!(error instanceof ExpectationsError)) throw error
    return misuse('expectations_invalid', `the expectations file, ${error.message}`)
  }
}

export async function readText(file: string): Promise<string> {
  return (await readInput(file, 'the expectations file', 1024 * 1024)).toString()
}

function readSlow(args: Arguments): number {
  const text = optionValue(args, 'slow') ?? '1'
  const slow = /^\d{1,4}(?:\.\d{1,3})?$/u.test(text) ? Number(text) : 0
  if (slow === 0) misuse('arguments_invalid', '--slow takes a number above 0, such as 10 or 0.5')
  return slow
}

function readSchemes(args: Arguments, suite: Suite): readonly string[] | undefined {
  const schemes = listValue(args, 'scheme')
  if (schemes?.some((name) => !suite.profiles.includes(name))) {
    misuse('scheme_invalid', `--scheme takes one of ${suite.profiles.join(', ')}`)
  }
  return schemes
}
