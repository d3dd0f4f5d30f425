import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { blocksOf } from '../docs/blocks.ts'
import { leftOut } from '../requirements.ts'
import { compile } from '../types/compile.ts'

// The declarations against the frameworks' own: usage in types/, and the programs of the pages.

const HERE = import.meta.dirname
const MODULES = join(HERE, 'node_modules')
const usage = readdirSync(join(HERE, 'types'))

const OPTIONS: ts.CompilerOptions = {
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['es2022', 'dom', 'dom.iterable'].map((name) => `lib.${name}.d.ts`),
  types: ['node'],
  skipLibCheck: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
}

/** The programs that run in this folder, as if they lay there; those of apps are compiled there. */
const programs = readdirSync(HERE)
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => [
    ...readFileSync(join(HERE, file), 'utf8').matchAll(/^testPage\('([^']+)'/gmu),
  ])
  .flatMap(([, page = '']) => blocksOf(page))
  .filter(({ language }) => language === 'ts')
  .map(({ page, line, code }) => {
    return { name: join(HERE, `${page.replaceAll('/', '-')}-${line}.ts`), text: code }
  })

describe.skipIf(leftOut([MODULES].filter((path) => !existsSync(path))))('types', () => {
  test('uses compile with the types of the frameworks, and misuses are refused', () => {
    expect(usage).not.toEqual([])
    expect(
      compile(
        usage.map((name) => join(HERE, 'types', name)),
        OPTIONS,
      ),
    ).toEqual([])
  })

  test('the programs of the pages compile', () => {
    expect(programs).not.toEqual([])
    expect(compile(programs, OPTIONS)).toEqual([])
  })

  test('every usage file misuses something, too', () => {
    const harmless = usage.filter(
      (name) => !readFileSync(join(HERE, 'types', name), 'utf8').includes('@ts-expect-error TS'),
    )
    expect(harmless).toEqual([])
  })
})
