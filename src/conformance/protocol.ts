import { isObject } from '../core/envelope.ts'
import { type Case, OPS, type Op, type Suite } from './suite.ts'

/** The version of the protocol, `p` of every message. */
export const PROTOCOL = 1

/** What an implementation says about itself before the first case. */
export interface Declaration {
  readonly implementation: Implementation
  /** The schemes it knows, by the names in `manifest.json`. */
  readonly profiles: readonly string[]
  readonly ops: readonly Op[]
  /** Names of `capabilities.json`; what is not declared is not asked for. */
  readonly capabilities: readonly string[]
  /** How it answers open questions: `valid` or a reason, by the names in `choices.json`. */
  readonly choices?: Readonly<Record<string, string>>
  /** Its own names for reasons, each with the suite's. */
  readonly reasons?: Readonly<Record<string, string>>
}

export interface Implementation {
  readonly name: string
  readonly version: string
  readonly language: string
  readonly runtime?: string
  readonly source?: string
  readonly issues?: string
}

/** The answer to one case. */
export type Answer =
  | { readonly result: 'valid'; readonly output?: Readonly<Record<string, unknown>> }
  | { readonly result: 'invalid'; readonly reason?: string; readonly detail?: string }
  /** The implementation has no such functionality; says what is missing. */
  | { readonly skipped: string }
  /** Something unexpected was caught: graded as a crash. */
  | { readonly error: { readonly message: string } }

/** What is sent for one case; `id` only when it may be revealed. */
export interface Request {
  readonly profile: string
  readonly op: Op
  readonly input: unknown
  readonly id?: string
}

export function helloMessage(suite: Suite, version: string): Readonly<Record<string, unknown>> {
  return {
    runner: { name: 'hookproof', version },
    suite: { version: suite.version, digest: suite.digest },
    profiles: suite.profiles,
    ops: OPS,
    choices: [...suite.choices.keys()],
  }
}

/** A text says what is wrong with a message. */
export type Complaint = string

/** Members that every answer has: the protocol's version and the number of the question. */
export function checkFrame(value: unknown, seq: number): Complaint | undefined {
  if (!isObject(value)) return 'the line is no JSON object'
  if (value.p !== PROTOCOL) return `p must be ${PROTOCOL}`
  if (value.seq !== seq) return `seq must be ${seq}, that of the question`
  return undefined
}

/** What an implementation declares, if the message says it rightly. */
export function readDeclaration(
  value: unknown,
  suite: Pick<Suite, 'stages' | 'choices'>,
): Declaration | Complaint {
  if (!isObject(value)) return 'the answer is no object'
  if (isObject(value.error)) return 'it answered with an error'
  const { implementation, profiles, ops, capabilities, choices, reasons } = value
  if (!isObject(implementation)) return 'implementation must be an object'
  for (const name of TEXTS) {
    if (!isNonEmpty(implementation[name])) return `implementation.${name} must be text`
  }
  for (const name of OPTIONAL_TEXTS) {
    if (implementation[name] !== undefined && !isNonEmpty(implementation[name])) {
      return `implementation.${name} must be text`
    }
  }
  for (const [name, names] of Object.entries({ profiles, ops, capabilities })) {
    if (!isNames(names)) return `${name} must be a list of names`
  }
  const complaint = checkChoices(choices, suite) ?? checkReasons(reasons, suite)
  if (complaint !== undefined) return complaint
  return pick(
    { ...value, implementation: pick(implementation, IMPLEMENTATION) },
    DECLARED,
  ) as unknown as Declaration
}

const TEXTS = ['name', 'version', 'language']
const OPTIONAL_TEXTS = ['runtime', 'source', 'issues']
const IMPLEMENTATION = ['name', 'version', 'language', 'runtime', 'source', 'issues']
const DECLARED = ['implementation', 'profiles', 'ops', 'capabilities', 'choices', 'reasons']

/** The members of this version; a message may hold others. */
function pick(
  object: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)))
}

function checkChoices(choices: unknown, suite: Pick<Suite, 'choices'>): Complaint | undefined {
  if (choices === undefined) return undefined
  if (!isObject(choices)) return 'choices must be an object'
  for (const [name, outcome] of Object.entries(choices)) {
    const allowed = suite.choices.get(name)
    if (typeof outcome !== 'string') return 'a choice must be text'
    if (allowed !== undefined && !allowed.includes(outcome)) {
      return `choices.${name} must be one of ${allowed.join(', ')}`
    }
  }
  return undefined
}

function checkReasons(reasons: unknown, suite: Pick<Suite, 'stages'>): Complaint | undefined {
  if (reasons === undefined) return undefined
  if (!isObject(reasons)) return 'reasons must be an object'
  for (const reason of Object.values(reasons)) {
    if (typeof reason !== 'string' || !suite.stages.has(reason)) {
      return 'reasons must map to the names in reasons.json'
    }
  }
  return undefined
}

/** The answer in a message, if it is one: exactly one of `result`, `skipped` and `error`. */
export function readAnswer(value: unknown): Answer | Complaint {
  if (!isObject(value)) return 'the answer is no object'
  const given = ['result', 'skipped', 'error'].filter((name) => value[name] !== undefined)
  if (given.length !== 1) return 'exactly one of result, skipped and error must be there'
  const { result, output, reason, detail, skipped, error } = value
  if (given[0] === 'skipped') {
    return isNonEmpty(skipped) ? { skipped } : 'skipped must say what is missing'
  }
  if (given[0] === 'error') {
    const isError = isObject(error) && typeof error.message === 'string'
    return isError ? { error: { message: String(error.message) } } : 'error.message must be text'
  }
  if (result === 'valid') {
    if (output !== undefined && !isObject(output)) return 'output must be an object'
    if (reason !== undefined) return 'reason must not stand beside valid'
    return { result, ...(output !== undefined && { output }) }
  }
  if (result !== 'invalid') return 'result must be valid or invalid'
  if (output !== undefined) return 'output must not stand beside invalid'
  if (reason !== undefined && !isNonEmpty(reason)) return 'reason must be text'
  if (detail !== undefined && typeof detail !== 'string') return 'detail must be text'
  return {
    result,
    ...(reason !== undefined && { reason }),
    ...(detail !== undefined && { detail }),
  }
}

/** The message of a case, its bytes decoded. */
export function requestOf(
  { id, profile, op }: Pick<Case, 'id' | 'profile' | 'op'>,
  input: unknown,
  reveal: boolean,
): Request {
  return { profile, op, input, ...(reveal && { id }) }
}

function isNonEmpty(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isNonEmpty)
}
