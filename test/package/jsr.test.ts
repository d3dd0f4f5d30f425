import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leftOut } from '../requirements.ts'
import { run } from './pack.ts'
import { packageJson, ROOT } from './package-json.ts'

const DENO = 'test/runtimes/node_modules/@deno/linux-x64-glibc/deno'
const jsr = JSON.parse(readFileSync(join(ROOT, 'jsr.json'), 'utf8'))
const code = Object.entries(packageJson.exports).filter(([, target]) => typeof target === 'object')

test('jsr.json has the version and the subpaths of package.json', () => {
  expect(jsr.version).toBe(packageJson.version)
  expect(Object.keys(jsr.exports)).toEqual(code.map(([subpath]) => subpath))
})

test('each subpath of jsr.json is the source of what package.json exports', () => {
  for (const [subpath, target] of code) {
    const { default: built } = (target as Record<'import', { default: string }>).import
    const source = built.replace('./dist/', './src/').replace(/js$/u, 'ts')
    expect(jsr.exports[subpath]).toBe(source)
    expect(existsSync(join(ROOT, source))).toBe(true)
  }
})

const missing = existsSync(join(ROOT, DENO)) ? [] : [DENO]

test.skipIf(leftOut(missing))('JSR would take it: every public type is written out', () => {
  const dryRun = () => run(join(ROOT, DENO), ['publish', '--dry-run', '--allow-dirty'], ROOT)
  expect(dryRun).not.toThrow()
})
