import { posix } from 'node:path'
import { globalsUsed, moduleNames, reExportsOnly } from './syntax.ts'

/** Texts of source files by their path below `src/`. */
export type Sources = ReadonlyMap<string, string>

export interface Layer {
  readonly files: RegExp
  /** Paths below `src/` or package names; `$1` is what the first group of `files` matched. */
  readonly mayImport: readonly string[]
}

const FACES = ['index.ts', 'sync.ts']
const CORE_AND_DATA = ['core/', 'schemes/', 'events/']

/** Who may import whom; the first layer that fits a file is its layer. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  'core/': { files: /^core\//u, mayImport: ['core/'] },
  'engines/': { files: /^engines\//u, mayImport: ['core/', 'engines/', '@noble/hashes/'] },
  'events/': { files: /^events\//u, mayImport: [] },
  'schemes/index.ts': { files: /^schemes\/index\.ts$/u, mayImport: CORE_AND_DATA },
  'schemes/*': { files: /^schemes\/(.+)\.ts$/u, mayImport: ['core/', 'events/$1.ts'] },
  'verify*.ts': {
    files: /^verify(?:-sync)?\.ts$/u,
    mayImport: [...CORE_AND_DATA, 'engines/', 'verify.ts'],
  },
  faces: {
    files: /^(?:index|sync)\.ts$/u,
    mayImport: [...CORE_AND_DATA, 'verify.ts', 'verify-sync.ts'],
  },
  'adapters/': {
    files: /^adapters\//u,
    mayImport: [...CORE_AND_DATA, ...FACES, 'engines/', 'adapters/'],
  },
  'inbox/, testing/, conformance/': {
    files: /^(inbox|testing|conformance)\//u,
    mayImport: [...CORE_AND_DATA, ...FACES, '$1/'],
  },
  'cli/': { files: /^cli\//u, mayImport: [''] },
}

function layerOf(file: string): Layer | undefined {
  return Object.values(LAYERS).find(({ files }) => files.test(file))
}

export function withoutLayer(sources: Sources): string[] {
  return [...sources.keys()].filter((file) => layerOf(file) === undefined)
}

/** Imports of one layer's files that the layer may not have. */
export function forbiddenImports(sources: Sources, layer: Layer): string[] {
  return [...sources.keys()]
    .filter((file) => layerOf(file) === layer)
    .flatMap((file) => {
      const own = layer.files.exec(file)?.[1] ?? ''
      const allowed = layer.mayImport.map((path) => path.replace('$1', own))
      return importsOf(sources, file)
        .filter((target) => !allowed.some((path) => fits(target, path)))
        .map((target) => `${file} imports ${target}`)
    })
}

/** A path that ends in a slash, a colon or nothing stands for all below it. */
function fits(target: string, path: string): boolean {
  return path === '' || /[/:]$/u.test(path) ? target.startsWith(path) : target === path
}

/** What a file imports: paths below `src/`, or the names of packages and built-in modules. */
function importsOf(sources: Sources, file: string): string[] {
  return moduleNames(file, sources.get(file) ?? '').map((name) =>
    name.startsWith('.') ? posix.join(posix.dirname(file), name) : name,
  )
}

export function siblingSchemes(sources: Sources): string[] {
  const isScheme = (file: string) => file.startsWith('schemes/') && file !== 'schemes/index.ts'
  return [...sources.keys()].filter(isScheme).flatMap((file) =>
    importsOf(sources, file)
      .filter((target) => target.startsWith('schemes/'))
      .map((target) => `${file} imports ${target}`),
  )
}

/** Built-in modules outside the command, which is the one part that runs on a known runtime. */
export function builtInModules(sources: Sources): string[] {
  return neutral(sources).flatMap((file) =>
    importsOf(sources, file)
      .filter((target) => /^(?:node|bun|cloudflare|jsr|npm|https?):/u.test(target))
      .map((target) => `${file} imports ${target}`),
  )
}

const RUNTIME_GLOBALS = ['process', 'Buffer', 'Deno', 'Bun', 'window', 'global', 'require']

export function runtimeGlobals(sources: Sources): string[] {
  return neutral(sources).flatMap((file) => uses(sources, file, RUNTIME_GLOBALS))
}

/** The core asks no global object what runtime this is. */
export function globalObjectInCore(sources: Sources): string[] {
  const core = [...sources.keys()].filter((file) => file.startsWith('core/'))
  return core.flatMap((file) => uses(sources, file, ['globalThis', 'self']))
}

function neutral(sources: Sources): string[] {
  return [...sources.keys()].filter((file) => !file.startsWith('cli/'))
}

function uses(sources: Sources, file: string, names: readonly string[]): string[] {
  return globalsUsed(file, sources.get(file) ?? '', names).map((name) => `${file} uses ${name}`)
}

export function facesWithCode(sources: Sources): string[] {
  return neutral(sources)
    .filter((file) => /^(?:sync|(?:.+\/)?index)\.ts$/u.test(file))
    .filter((file) => !reExportsOnly(file, sources.get(file) ?? ''))
    .map((file) => `${file} does more than re-export`)
}

/** Circles of imports, types included, each once, from its alphabetically first file. */
export function cycles(sources: Sources): string[] {
  const found = new Set<string>()
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start >= 0) found.add(circle(path.slice(start)))
    if (start >= 0 || done.has(file) || !sources.has(file)) return
    for (const target of importsOf(sources, file)) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of sources.keys()) visit(file, [])
  return [...found]
}

function circle(files: readonly string[]): string {
  const first = files.indexOf([...files].sort()[0] as string)
  const turned = [...files.slice(first), ...files.slice(0, first)]
  return [...turned, turned[0]].join(' imports ')
}

export function imports(sources: Sources): Map<string, string[]> {
  return new Map([...sources.keys()].map((file) => [file, importsOf(sources, file)]))
}

/** The paths that a page's folder tree names below `src/`; folders end in a slash. */
export function treeOfPage(page: string): string[] {
  const lines = page.split('\n').map((line) => line.replace(/[│├└─]/gu, ' '))
  const start = lines.findIndex((line) => /^\s*src\/(?:\s|$)/u.test(line))
  if (start < 0) return []
  const parents: { readonly indent: number; readonly path: string }[] = []
  const named: string[] = []
  for (const line of lines.slice(start)) {
    const indent = line.search(/\S/u)
    if (indent < 0) continue
    while (indent <= (parents.at(-1)?.indent ?? -1)) parents.pop()
    if (line.startsWith('```') || (parents.length === 0 && named.length > 0)) break
    const below = parents.at(-1)?.path ?? ''
    const tokens = leadingNames(line)
    if (tokens.length === 0) continue
    let folder = below
    for (const token of tokens) {
      const path = token.endsWith('/') ? below + token : folder + token
      if (token.endsWith('/')) folder = path
      named.push(path)
    }
    if (folder !== below) parents.push({ indent, path: folder })
  }
  return named.map((path) => path.replace(/^src\//u, '')).filter((path) => path !== '')
}

/** The file and folder names a line of a tree begins with; the words behind them are prose. */
function leadingNames(line: string): string[] {
  const words = line.trim().split(/\s+/u)
  const end = words.findIndex((word) => !/^[\w.-]+(?:\/|\.[cm]?[jt]s)$/u.test(word))
  return end < 0 ? words : words.slice(0, end)
}
