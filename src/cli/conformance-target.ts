import type { Stats } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Copied, isCopied, readJson, sha256, VERSION_FILE } from './conformance-vectors.ts'
import { shown } from './output.ts'
import { misuse } from './usage-error.ts'

/** What an earlier copy wrote into the folder, with nothing in it that leads out. */
export async function readCopied(target: string): Promise<Copied | undefined> {
  await refuseLinks(target, [VERSION_FILE, 'manifest.json'])
  const json = await readJson(join(target, VERSION_FILE))
  if (json === undefined) return undefined
  if (!isCopied(json)) {
    misuse('file_foreign', `${VERSION_FILE} in the folder is none of this command's`)
  }
  const outside = Object.keys(json.files).find((path) => !isBelow(path))
  if (outside !== undefined) {
    misuse(
      'file_foreign',
      `nothing was written: ${VERSION_FILE} names a file outside of the folder, ${shown(outside)}`,
    )
  }
  return json
}

/** Nothing that somebody else wrote is lost, and nothing is written through a link. */
export async function refuseForeign(
  target: string,
  files: ReadonlyMap<string, Buffer>,
  before: Copied | undefined,
): Promise<void> {
  const written = before?.files ?? {}
  const paths = new Set([...files.keys(), ...Object.keys(written)])
  await refuseLinks(target, paths)
  const foreign: string[] = []
  for (const path of paths) {
    const stats = await statsOf(join(target, path))
    if (stats === undefined) continue
    const there = stats.isFile()
      ? await readFile(join(target, path)).catch(() => undefined)
      : undefined
    const isSame =
      there !== undefined && (files.get(path)?.equals(there) || written[path] === sha256(there))
    if (!isSame) foreign.push(path)
  }
  if (foreign.length === 0) return
  misuse(
    'file_foreign',
    `nothing was written: not of an earlier copy, or changed since: ${foreign.slice(0, 10).map(shown).join(', ')}; move away what you want to keep and remove the rest`,
  )
}

/** Paths as copies have them; of another kind, one could lead anywhere. */
function isBelow(path: string): boolean {
  const parts = path.split('/')
  return !/[\\:\0]/u.test(path) && parts.every((part) => !/^(?:\.{0,2})$/u.test(part))
}

/** The folder itself, the folders in it and the files: none may stand for another place. */
async function refuseLinks(target: string, paths: Iterable<string>): Promise<void> {
  const places = new Set([''])
  for (const path of paths) {
    const parts = path.split('/')
    for (const end of parts.keys()) places.add(parts.slice(0, end + 1).join('/'))
  }
  for (const place of places) {
    const stats = await statsOf(join(target, place))
    if (!stats?.isSymbolicLink()) continue
    const what = place === '' ? 'the folder' : `${shown(place)} in the folder`
    misuse(
      'file_foreign',
      `nothing was written: ${what} is a symbolic link; name or make a real one`,
    )
  }
}

async function statsOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(() => undefined)
}
