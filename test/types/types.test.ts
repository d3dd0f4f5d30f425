import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { asCommonJs, compile, usageFiles } from './compile.ts'

/** Usage that needs no library beside ECMAScript's, and no strictness. */
const NEUTRAL = [
  'adapters.ts',
  'events.ts',
  'inference.ts',
  'inputs.ts',
  'public-names.ts',
  'secrets.ts',
  'verdict.ts',
]
const STRICT = [...NEUTRAL, 'inbox.ts', 'strict-only.ts', 'testing.ts']
const EXACT = [...STRICT, 'exact-only.ts']
const WEB = [...EXACT, 'adapters-web.ts', 'inputs-web.ts', 'testing-web.ts']
const NODE = [...WEB, 'adapters-node.ts', 'inputs-node.ts']

const NODE_NEXT: ts.CompilerOptions = {
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: libraries('es2022'),
  types: [],
  skipLibCheck: false,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
}
const BUNDLER: ts.CompilerOptions = {
  ...NODE_NEXT,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
}
const INEXACT = { exactOptionalPropertyTypes: false }
const TYPES_OF_NODE = { types: ['node'], skipLibCheck: true }

/** What a project may look like, and the usage that has to compile in it. */
const PROJECTS: readonly [
  project: string,
  files: readonly string[],
  settings: ts.CompilerOptions,
  base?: ts.CompilerOptions,
][] = [
  ['ES modules and no library', EXACT, {}],
  ['CommonJS and no library', EXACT.map(asCommonJs), {}],
  ['a bundler and no library', EXACT, {}, BUNDLER],
  ['declarations that are not checked', EXACT, { skipLibCheck: true }],
  ['optional properties that take undefined', STRICT, INEXACT],
  ['no strictness', NEUTRAL, { ...INEXACT, strict: false }],
  ['no strictness in CommonJS', NEUTRAL.map(asCommonJs), { ...INEXACT, strict: false }],
  ['CommonJS types beside those of ES modules', ['both-formats.cts'], {}],
  ['the DOM', WEB, { lib: libraries('es2022', 'dom', 'dom.iterable', 'dom.asynciterable') }],
  ['a DOM that does not iterate', WEB, { lib: libraries('es2022', 'dom') }],
  ['the DOM and a bundler', WEB, { lib: libraries('es2022', 'dom', 'dom.iterable') }, BUNDLER],
  ['web workers', WEB, { lib: libraries('es2022', 'webworker', 'webworker.iterable') }],
  ['Node', NODE, TYPES_OF_NODE],
  ['Node in CommonJS', NODE.map(asCommonJs), TYPES_OF_NODE],
  ['Node and the DOM', NODE, { ...TYPES_OF_NODE, lib: libraries('es2022', 'dom', 'dom.iterable') }],
  ['zod and valibot', ['schema-libraries.ts'], { lib: libraries('es2022', 'dom') }],
]

test.each(PROJECTS)('with %s, uses compile and misuses are refused', (_, files, settings, base) => {
  expect(compile(files, { ...(base ?? NODE_NEXT), ...settings })).toEqual([])
})

test('every usage file is part of a project', () => {
  const used = new Set(PROJECTS.flatMap(([, files]) => files))
  expect(usageFiles.filter((name) => !used.has(name))).toEqual([])
})

describe('the check itself', () => {
  const judge = (...lines: string[]) =>
    compile(
      [{ name: 'sample.ts', text: ["import { verify } from 'hookproof'", ...lines].join('\n') }],
      NODE_NEXT,
    )
  const misuse = 'verify(42)'

  test('finds a misuse that nobody announced', () => {
    expect(judge(misuse)).toEqual([expect.stringMatching(/^sample\.ts:2 TS2554 /u)])
  })

  test('takes a misuse that is announced', () => {
    expect(judge('// @ts-expect-error TS2554', misuse)).toEqual([])
  })

  test('finds a misuse announced as another one, and one announced without a code', () => {
    for (const announcement of ['// @ts-expect-error TS2345', '// @ts-expect-error']) {
      expect(judge(announcement, misuse)).toHaveLength(2)
    }
  })

  test('finds an announced misuse that compiles', () => {
    expect(judge('// @ts-expect-error TS2554', 'verify')).toEqual(['sample.ts:3 has no TS2554'])
  })

  test('finds a type that is not the claimed one', () => {
    expect(judge('check<Equal<typeof verify, any>>()')).toHaveLength(1)
  })
})

function libraries(...names: readonly string[]): string[] {
  return names.map((name) => `lib.${name}.d.ts`)
}
