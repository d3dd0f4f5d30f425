import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
  /** Whether it is run on a database, by inbox.test.ts. */
  readonly needsDatabase: boolean
}

/** The project's pages: those at the top, in docs, in docs/start and in vectors. */
export function pages(): string[] {
  const folders = ['', 'docs/', 'docs/start/', 'vectors/']
  return folders.flatMap((folder) =>
    readdirSync(ROOT + folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => folder + name),
  )
}

/** The pages that tests of frameworks run, on the framework itself: those they name. */
export function frameworkPages(): string[] {
  const folder = `${ROOT}test/frameworks/`
  const tests = readdirSync(folder).filter((name) => /\.test\.ts$/u.test(name))
  const named = tests.flatMap(
    (name) => readFileSync(folder + name, 'utf8').match(/docs\/start\/[\w-]+\.md/gu) ?? [],
  )
  return [...new Set(named)]
}

/** Every fenced code block of a page. */
export function blocksOf(page: string): Block[] {
  const lines = readFileSync(ROOT + page, 'utf8').split('\n')
  const blocks: Block[] = []
  let open: { language: string; start: number } | undefined
  for (const [index, line] of lines.entries()) {
    const fence = /^```(\w*)$/u.exec(line)
    if (fence === null) continue
    if (open === undefined) {
      open = { language: fence[1] ?? '', start: index + 1 }
    } else {
      const code = lines.slice(open.start, index).join('\n')
      const needsDatabase =
        /^docs\/(?:inbox|runbook)\.md$/u.test(page) ||
        /from 'hookproof\/inbox\/(?:postgres|sqlite)'/u.test(code)
      blocks.push({ page, line: open.start, language: open.language, code, needsDatabase })
      open = undefined
    }
  }
  return blocks
}
