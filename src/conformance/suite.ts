import { isObject } from '../core/envelope.ts'
import { sha256 } from './digest.ts'
import { SuiteError } from './suite-error.ts'

export type Op = 'verify' | 'sign' | 'mac'
export type Severity = 'critical' | 'high' | 'medium' | 'low'

/** One outcome that a case allows. */
export interface Outcome {
  readonly result: 'valid' | 'invalid'
  readonly reason?: string
  readonly output?: Readonly<Record<string, unknown>>
}

/** A published case. `vectors/SPEC.md`, section 11, explains the members. */
export interface Case {
  readonly id: string
  readonly profile: string
  readonly group: string
  readonly title: string
  readonly why: string
  readonly op: Op
  readonly severity: Severity
  readonly requires: readonly string[]
  /** As published: bytes objects are not decoded. */
  readonly input: unknown
  readonly allowed: readonly Outcome[]
  /** The open question that the case is about, where several outcomes are allowed. */
  readonly choice?: string
  readonly budgetMs?: number
}

/** The vectors, read and checked against their digests. */
export interface Suite {
  readonly version: string
  readonly digest: string
  readonly profiles: readonly string[]
  readonly cases: readonly Case[]
  readonly capabilities: readonly string[]
  /** The stage of each reason. */
  readonly stages: ReadonlyMap<string, string>
  /** The outcomes that each open question allows: `valid`, or a reason. */
  readonly choices: ReadonlyMap<string, readonly string[]>
}

/** Every op of this version; a case of another is skipped. */
export const OPS: readonly Op[] = ['verify', 'sign', 'mac']

type Json = Readonly<Record<string, unknown>>

/**
 * Reads the vectors and checks the digest of every file.
 *
 * @param read gives the text of a file by its path below `vectors/`, such as `v1/paymos/hdr.json`
 * @throws `SuiteError` when a file is missing or is not what `manifest.json` says
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { loadSuite } from 'hookproof/conformance'
 *
 * const folder = new URL('.', import.meta.resolve('hookproof/vectors/manifest.json'))
 * export const suite = await loadSuite((path) => readFile(new URL(path, folder), 'utf8'))
 * ```
 */
export async function loadSuite(read: (path: string) => string | Promise<string>): Promise<Suite> {
  const manifest = parse('manifest.json', await readText(read, 'manifest.json'))
  if (manifest.schemaVersion !== 1) {
    throw new SuiteError('manifest.json is not of schemaVersion 1; use a newer release to read it')
  }
  const listed = list(manifest.files, 'manifest.json: files')
  const files = new Map<string, Json>()
  for (const file of listed) {
    const path = String(file.path)
    const text = await readText(read, path)
    if ((await sha256(text)) !== file.sha256) {
      throw new SuiteError(`${path} is not the file that manifest.json has the digest of`)
    }
    files.set(path, parse(path, text))
  }
  const lines = listed.map((file) => `${file.sha256}  ${file.path}\n`)
  if ((await sha256(lines.join(''))) !== manifest.digest) {
    throw new SuiteError('the digest in manifest.json is not that of its list of files')
  }
  return toSuite(manifest, files)
}

function toSuite(manifest: Json, files: ReadonlyMap<string, Json>): Suite {
  const registry = (name: string) => list(files.get(`${name}.json`)?.[name], `${name}.json`)
  const cases = [...files].filter(([path]) => path.startsWith('v1/')).flatMap(readCases)
  if (cases.length !== manifest.numberOfCases) {
    throw new SuiteError('the files hold another number of cases than manifest.json says')
  }
  return {
    version: String(manifest.suiteVersion),
    digest: String(manifest.digest),
    profiles: (manifest.profiles as readonly unknown[]).map(String),
    cases,
    capabilities: registry('capabilities').map(({ name }) => String(name)),
    stages: new Map(registry('reasons').map(({ code, stage }) => [String(code), String(stage)])),
    choices: new Map(
      registry('choices').map(({ name, outcomes }) => [String(name), outcomes as string[]]),
    ),
  }
}

function readCases([path, { profile, group, cases }]: readonly [string, Json]): Case[] {
  return list(cases, path).map((published) => {
    const { id, expect } = published
    if (typeof id !== 'string' || !isObject(expect) || !isObject(published.input)) {
      throw new SuiteError(`${path} holds a case without id, input or expect`)
    }
    return {
      ...(published as unknown as Case),
      profile: String(profile),
      group: String(isObject(group) ? group.id : ''),
      allowed: (expect.oneOf ?? [expect]) as Outcome[],
      ...(expect.choice !== undefined && { choice: String(expect.choice) }),
    }
  })
}

function list(value: unknown, what: string): Json[] {
  if (Array.isArray(value) && value.every(isObject)) return value as Json[]
  throw new SuiteError(`${what} is no list of objects`)
}

function parse(path: string, text: string): Json {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new SuiteError(`${path} is not JSON`)
  }
  if (isObject(json)) return json
  throw new SuiteError(`${path} is no JSON object`)
}

async function readText(
  read: (path: string) => string | Promise<string>,
  path: string,
): Promise<string> {
  try {
    return await read(path)
  } catch {
    throw new SuiteError(`${path} cannot be read`)
  }
}
