import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { counted } from '../conformance/one-line.ts'
import { isObject } from '../core/envelope.ts'
import { type Arguments, optionValue } from './arguments.ts'
import type { Command } from './command.ts'
import { withExitCodes } from './conformance-exit.ts'
import { writeOrMisuse } from './conformance-files.ts'
import { readCopied, refuseForeign } from './conformance-target.ts'
import {
  type Copied,
  OWN_VECTORS,
  readJson,
  readVectors,
  sha256,
  VERSION_FILE,
} from './conformance-vectors.ts'
import { print } from './output.ts'
import { misuse } from './usage-error.ts'

export const copyCommand: Command = {
  options: { vectors: 'value', help: 'flag', version: 'flag' },
  help: `hookproof conformance copy DIR: the vectors as files of your own repository

Writes the cases, the rules and the schemas into DIR, with VERSION.json, which names every file and
its digest, and a .gitattributes that keeps line ends as they are. Run again with a newer release,
it says which cases are new or changed. A file that it has not written, or that was changed since,
is never overwritten, and nothing is written through a symbolic link.

  --vectors DIR        another copy of the vectors as the source
  --help, --version

Exit status: 0 DIR holds the vectors, 2 nothing was written, 4 the vectors are damaged.

Example:
  hookproof conformance copy third_party/vectors`,
  run: (args) => withExitCodes(() => copy(args)),
}

/** Made for people who work on the vectors, or too large to carry along. */
const LEFT_OUT = /^(?:gen|mutants|adapters|\.)|(?:^|\/)(?:__pycache__|VERSION\.json)/u
const GIT_ATTRIBUTES =
  '# The digests in manifest.json are those of the files with their own line ends.\n* -text\n'

async function copy(args: Arguments): Promise<number> {
  if (args.file === '-') misuse('arguments_invalid', 'name the folder to write into')
  const [source, target] = [optionValue(args, 'vectors') ?? OWN_VECTORS, resolve(args.file)]
  const suite = await readVectors(source)
  const files = await filesOf(source)
  const before = await readCopied(target)
  await refuseForeign(target, files, before)
  const caseChanges = changesBetween(await casesOf(target), await casesOf(source))
  const gone = Object.keys(before?.files ?? {}).filter((path) => !files.has(path))
  const next: Copied = {
    suiteVersion: suite.version,
    digest: suite.digest,
    files: digestsOf(files),
  }
  await writeOrMisuse('the folder', async () => {
    for (const [path, content] of files) {
      await mkdir(dirname(join(target, path)), { recursive: true })
      await writeFile(join(target, path), content)
    }
    for (const path of gone) await rm(join(target, path), { force: true })
    await writeFile(join(target, VERSION_FILE), `${JSON.stringify(next, undefined, 2)}\n`)
  })
  tell(before, next, caseChanges, gone)
  return 0
}

async function filesOf(source: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(source, '/').length))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !LEFT_OUT.test(path))
    .sort()
  const files = new Map<string, Buffer>([['.gitattributes', Buffer.from(GIT_ATTRIBUTES)]])
  for (const path of paths) files.set(path, await readFile(join(source, path)))
  return files
}

/** The digest of every case by its id. */
async function casesOf(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const manifest = await readJson(join(folder, 'manifest.json'))
  return isObject(manifest?.cases) ? manifest.cases : {}
}

interface Changes {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Changes {
  return {
    added: Object.keys(after).filter((id) => !Object.hasOwn(before, id)),
    changed: Object.keys(after).filter(
      (id) => Object.hasOwn(before, id) && before[id] !== after[id],
    ),
    removed: Object.keys(before).filter((id) => !Object.hasOwn(after, id)),
  }
}

function tell(
  before: Copied | undefined,
  next: Copied,
  { added, changed, removed }: Changes,
  gone: readonly string[],
): void {
  if (before === undefined) {
    print(`suite ${next.suiteVersion}: ${counted(Object.keys(next.files).length, 'file')} written`)
    return
  }
  print(`suite ${before.suiteVersion} -> ${next.suiteVersion}`)
  for (const [what, ids] of Object.entries({ added, changed, removed })) {
    print(`${counted(ids.length, 'case')} ${what}${ids.length > 0 ? `: ${ids.join(' ')}` : ''}`)
  }
  for (const path of gone) print(`removed ${path}`)
}

function digestsOf(files: ReadonlyMap<string, Buffer>): Record<string, string> {
  return Object.fromEntries([...files].map(([path, content]) => [path, sha256(content)]))
}
