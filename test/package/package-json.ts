import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT: string = join(import.meta.dirname, '../..')

type Condition = {
  readonly types: string
  readonly default: string
}
export interface PackageJson {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Record<'import' | 'require', Condition>>>
}

export const packageJson: PackageJson = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The subpaths with code, `hookproof` itself first, as they are imported. */
export const codeSubpaths: readonly string[] = Object.entries(packageJson.exports)
  .filter(([, target]) => typeof target === 'object')
  .map(([subpath]) => subpath.replace(/^\./u, 'hookproof'))
