import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  builtInModules,
  cycles,
  facesWithCode,
  forbiddenImports,
  globalObjectInCore,
  imports,
  LAYERS,
  type Layer,
  runtimeGlobals,
  type Sources,
  siblingSchemes,
  treeOfPage,
  withoutLayer,
} from './architecture.ts'

const SRC = join(import.meta.dirname, '../src')
const sources: Sources = new Map(
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(SRC, file), 'utf8')]),
)

interface Rule {
  readonly find: (sources: Sources) => string[]
  /** Files that break the rule, and what is then found. */
  readonly breach: Readonly<Record<string, string>>
  readonly found: readonly string[]
}
const layer = (name: string) => (files: Sources) => forbiddenImports(files, LAYERS[name] as Layer)

const RULES: Readonly<Record<string, Rule>> = {
  'every file belongs to a layer': {
    find: withoutLayer,
    breach: { 'core/a.ts': '', 'helpers.ts': '', 'utils/b.ts': '' },
    found: ['helpers.ts', 'utils/b.ts'],
  },
  'core/ imports core/ alone': {
    find: layer('core/'),
    breach: {
      'core/a.ts': `import './b.ts'\nimport type { paymos } from '../schemes/paymos.ts'\nimport 'zod'`,
      'core/b.ts': `export type A = import('../verify.ts').A`,
    },
    found: [
      'core/a.ts imports schemes/paymos.ts',
      'core/a.ts imports zod',
      'core/b.ts imports verify.ts',
    ],
  },
  'engines/ import core/, each other and the bundled hashes': {
    find: layer('engines/'),
    breach: {
      'engines/a.ts': `import '../core/a.ts'\nimport './b.ts'\nimport '@noble/hashes/hmac.js'\nimport '../verify.ts'\nimport '@noble/curves'`,
    },
    found: ['engines/a.ts imports verify.ts', 'engines/a.ts imports @noble/curves'],
  },
  'events/ import nothing': {
    find: layer('events/'),
    breach: { 'events/a.ts': `import type { A } from '../core/a.ts'` },
    found: ['events/a.ts imports core/a.ts'],
  },
  'a scheme imports core/ and its own events': {
    find: layer('schemes/*'),
    breach: {
      'schemes/a.ts': `import '../core/a.ts'\nimport '../events/a.ts'\nimport '../events/b.ts'\nimport '../engines/web.ts'`,
    },
    found: ['schemes/a.ts imports events/b.ts', 'schemes/a.ts imports engines/web.ts'],
  },
  'the list of schemes imports schemes, core/ and events/': {
    find: layer('schemes/index.ts'),
    breach: {
      'schemes/index.ts': `export * from './a.ts'\nexport * from '../core/a.ts'\nexport * from '../engines/a.ts'`,
    },
    found: ['schemes/index.ts imports engines/a.ts'],
  },
  'a scheme imports no sibling': {
    find: siblingSchemes,
    breach: {
      'schemes/a.ts': `import { b } from './b.ts'`,
      'schemes/index.ts': `export * from './a.ts'`,
    },
    found: ['schemes/a.ts imports schemes/b.ts'],
  },
  'verify*.ts import core/, engines/, schemes/ and events/': {
    find: layer('verify*.ts'),
    breach: {
      'verify.ts': `import './core/a.ts'\nimport './sync.ts'`,
      'verify-sync.ts': `import './verify.ts'\nimport './adapters/node.ts'`,
    },
    found: ['verify.ts imports sync.ts', 'verify-sync.ts imports adapters/node.ts'],
  },
  'the faces import no engine, adapter or package': {
    find: layer('faces'),
    breach: { 'index.ts': `export * from './verify.ts'\nexport * from './engines/web.ts'` },
    found: ['index.ts imports engines/web.ts'],
  },
  'adapters/ import faces, core/, engines/, schemes/ and events/, and no framework': {
    find: layer('adapters/'),
    breach: {
      'adapters/a.ts': `import '../index.ts'\nimport './receive.ts'\nimport '../engines/web.ts'\nimport 'express'\nimport '../inbox/a.ts'`,
    },
    found: ['adapters/a.ts imports express', 'adapters/a.ts imports inbox/a.ts'],
  },
  'inbox/, testing/ and conformance/ import faces, core/, schemes/ and events/': {
    find: layer('inbox/, testing/, conformance/'),
    breach: {
      'inbox/a.ts': `import '../adapters/a.ts'\nimport '../sync.ts'\nimport '../engines/web.ts'`,
    },
    found: ['inbox/a.ts imports adapters/a.ts', 'inbox/a.ts imports engines/web.ts'],
  },
  'nothing but the command imports a built-in module': {
    find: builtInModules,
    breach: {
      'core/a.ts': `import { hash } from 'node:crypto'`,
      'engines/a.ts': `const a = await import('node:crypto')`,
      'schemes/a.ts': `const a = require('node:crypto')`,
      'cli/a.ts': `import 'node:fs'`,
    },
    found: [
      'core/a.ts imports node:crypto',
      'engines/a.ts imports node:crypto',
      'schemes/a.ts imports node:crypto',
    ],
  },
  'nothing but the command uses the globals of one runtime': {
    find: runtimeGlobals,
    breach: {
      'core/a.ts': `export const a = process.env`,
      'core/b.ts': `declare const Buffer: any\nexport const b = () => Buffer.from('')`,
      'core/c.ts': `export const c = typeof window, d = { Deno }`,
      'core/d.ts': `export const e = [new Bun.File(), global, require]`,
      'engines/a.ts': `const { process } = globalThis as any\nexport const a = process?.version`,
      'engines/b.ts': `export const a = { process: 1, Buffer() {} }.process + globalThis.window`,
      'core/e.ts': `interface Window { window: 1 }\nexport let f: Buffer`,
      'cli/a.ts': `process.exit(Buffer.from('').length)`,
    },
    found: [
      'core/a.ts uses process',
      'core/b.ts uses Buffer',
      'core/c.ts uses window',
      'core/c.ts uses Deno',
      'core/d.ts uses Bun',
      'core/d.ts uses global',
      'core/d.ts uses require',
      'core/e.ts uses Buffer',
    ],
  },
  'core/ asks no global object': {
    find: globalObjectInCore,
    breach: {
      'core/a.ts': `export const a = globalThis.process`,
      'engines/a.ts': `globalThis.crypto`,
    },
    found: ['core/a.ts uses globalThis'],
  },
  'index.ts and sync.ts re-export and do nothing else': {
    find: facesWithCode,
    breach: {
      'index.ts': `export { a } from './verify.ts'\nexport type * from './core/a.ts'`,
      'sync.ts': `import { a } from './verify.ts'\nexport { a }`,
      'schemes/index.ts': `export * from './a.ts'\nexport const all = 1`,
      'cli/index.ts': `run()`,
    },
    found: ['sync.ts does more than re-export', 'schemes/index.ts does more than re-export'],
  },
  'no file imports itself through others': {
    find: cycles,
    breach: {
      'core/a.ts': `import './b.ts'`,
      'core/b.ts': `import type { C } from './c.ts'`,
      'core/c.ts': `export * from './a.ts'`,
      'core/d.ts': `import './a.ts'\nimport './c.ts'`,
    },
    found: ['core/a.ts imports core/b.ts imports core/c.ts imports core/a.ts'],
  },
}

describe.each(Object.entries(RULES))('%s', (_, { find, breach, found }) => {
  test('in src', () => {
    expect(find(sources)).toEqual([])
  })

  test('and a breach is found', () => {
    expect(find(new Map(Object.entries(breach)))).toEqual(found)
  })
})

test('every import inside src leads to a file', () => {
  expect(sources.size).toBeGreaterThan(20)
  const missing = [...imports(sources)].flatMap(([file, targets]) =>
    targets
      .filter((target) => target.endsWith('.ts') && !sources.has(target))
      .map((target) => `${file} imports ${target}`),
  )
  expect(missing).toEqual([])
})

describe('the folder tree of the architecture page', () => {
  const page = join(import.meta.dirname, '../docs/architecture.md')
  const directly = (folder: string): string[] =>
    readdirSync(join(SRC, folder), { withFileTypes: true }).map(
      (entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`,
    )

  test('names what lies in src and in src/core, and nothing that is not there', (context) => {
    if (!existsSync(page) && process.env.CI === undefined) {
      console.log('skipped: docs/architecture.md is not there')
      context.skip()
    }
    const named = treeOfPage(readFileSync(page, 'utf8'))
    const there = [...directly(''), ...directly('core/')]
    expect(there.filter((path) => !named.includes(path))).toEqual([])
    expect(named.filter((path) => !existsSync(join(SRC, path)))).toEqual([])
  })

  test('is read with several names a line, with children on the line or below, up to the next folder', () => {
    const tree = [
      '```',
      'src/',
      '├── index.ts  sync.ts    faces, see verify.ts',
      '├── core/                knows no runtime',
      '│   ├── bytes.ts         text',
      '│   └── a.ts b.ts',
      '├── engines/  web.ts native.ts',
      '└── cli/ adapters/       one file a runtime',
      'vectors/ v1/',
      '```',
    ]
    const names = [
      ...['index.ts', 'sync.ts', 'core/', 'core/bytes.ts', 'core/a.ts', 'core/b.ts'],
      ...['engines/', 'engines/web.ts', 'engines/native.ts', 'cli/', 'adapters/'],
    ]
    expect(treeOfPage(tree.join('\n'))).toEqual(names)
    expect(treeOfPage(tree.join('\n').replace(/[│├└─]/gu, ' '))).toEqual(names)
  })
})
