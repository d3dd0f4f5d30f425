import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import ts from 'typescript'

/** A usage file by its name in `usage/` or its path, or a text that stands in for one. */
type Source = string | { readonly name: string; readonly text: string }

const FOLDER = join(import.meta.dirname, 'usage')
const ASSERTIONS = join(FOLDER, 'assertions.d.ts')
const DIRECTIVE = '@ts-expect-error'
const CODES = /@ts-expect-error (TS\d+(?:\|TS\d+)*)/u

export const usageFiles: readonly string[] = readdirSync(FOLDER).filter(
  (name) => !name.endsWith('.d.ts'),
)

/** The same usage as a CommonJS module. */
export function asCommonJs(name: string): string {
  return name.replace(/\.ts$/u, '.cts')
}

const parsed = new Map<string, ts.SourceFile | undefined>()

/**
 * What does not go as a file says: a diagnostic that no `@ts-expect-error TSnnnn` above its line
 * announces with its very code, and an announcement that nothing followed. An expected error of
 * another kind therefore counts as wrong.
 */
export function compile(sources: readonly Source[], options: ts.CompilerOptions): string[] {
  const texts = new Map(sources.map(sourceText))
  const program = ts.createProgram([ASSERTIONS, ...texts.keys()], options, hostFor(texts, options))
  const announced = new Map([...texts].flatMap(announcements))
  const came = new Set<string>()
  const findings: string[] = []
  for (const { file, start = 0, code, messageText } of ts.getPreEmitDiagnostics(program)) {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1
    const place = `${basename(file?.fileName ?? 'options')}:${line}`
    if (announced.get(place)?.includes(`TS${code}`)) came.add(place)
    else findings.push(`${place} TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
  }
  for (const [place, codes] of announced) {
    if (!came.has(place)) findings.push(`${place} has no ${codes.join(' or ')}`)
  }
  return findings
}

function sourceText(source: Source): [path: string, text: string] {
  if (typeof source !== 'string') return [resolve(FOLDER, source.name), source.text]
  // A CommonJS twin is the same text under another name.
  const file = usageFiles.includes(source) ? source : source.replace(/\.cts$/u, '.ts')
  return [resolve(FOLDER, source), readFileSync(resolve(FOLDER, file), 'utf8')]
}

/**
 * The places where errors are announced, and their codes; a bare announcement has none, so nothing
 * can meet it.
 */
function announcements([path, text]: readonly [path: string, text: string]): [string, string[]][] {
  return text.split('\n').flatMap((line, index) => {
    if (!line.includes(DIRECTIVE)) return []
    return [[`${basename(path)}:${index + 2}`, CODES.exec(line)?.[1]?.split('|') ?? []]]
  })
}

/**
 * Reads libraries and declarations once for all programs, and the usage files with their directives
 * disarmed.
 */
function hostFor(texts: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const { module, strict } = options
  const { getSourceFile, fileExists, readFile } = host
  return {
    ...host,
    fileExists: (path) => texts.has(path) || fileExists(path),
    readFile: (path) => texts.get(path) ?? readFile(path),
    getSourceFile(path, parseOptions) {
      const text = texts.get(path)
      if (text !== undefined) {
        const disarmed = text.replaceAll(DIRECTIVE, '@announced')
        return ts.createSourceFile(path, disarmed, parseOptions)
      }
      const key = JSON.stringify([path, parseOptions, module, strict])
      if (!parsed.has(key)) parsed.set(key, getSourceFile.call(host, path, parseOptions))
      return parsed.get(key)
    },
  }
}
