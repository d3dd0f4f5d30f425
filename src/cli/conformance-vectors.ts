import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSuite, type Suite } from '../conformance/suite.ts'
import { SuiteError } from '../conformance/suite-error.ts'
import { isObject } from '../core/envelope.ts'

/** The vectors of this package. */
export const OWN_VECTORS: string = fileURLToPath(new URL('../vectors/', import.meta.url))

export const VERSION_FILE = 'VERSION.json'

/** What `VERSION.json` of a copy holds. */
export interface Copied {
  readonly suiteVersion: string
  /** That of the suite. */
  readonly digest: string
  /** The digest of every file by its path. */
  readonly files: Readonly<Record<string, string>>
}

/** The vectors of a folder; what `copy` wrote must be whole, not of two copies. */
export async function readVectors(folder: string): Promise<Suite> {
  const suite = await loadSuite((path) => readFile(join(folder, path), 'utf8'))
  const copied = await readJson(join(folder, VERSION_FILE))
  // Other files may have that name.
  if (!isCopied(copied)) return suite
  const manifest = sha256(await readFile(join(folder, 'manifest.json')))
  if (copied.digest !== suite.digest || copied.files['manifest.json'] !== manifest) {
    throw new SuiteError(`${VERSION_FILE} is of another copy than manifest.json; copy them again`)
  }
  return suite
}

export function isCopied(json: unknown): json is Copied {
  return (
    isObject(json) &&
    typeof json.suiteVersion === 'string' &&
    typeof json.digest === 'string' &&
    isObject(json.files)
  )
}

/** An object from a file; `undefined` without the file, an empty one for anything else. */
export async function readJson(
  path: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
