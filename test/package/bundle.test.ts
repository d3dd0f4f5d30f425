import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { REASONS } from 'hookproof'
import { describe, expect, test } from 'vitest'
import { globalsUsed, moduleNames } from '../syntax.ts'
import { bundle, effectsOf, gzipSize } from './bundle.ts'
import { codeSubpaths, ROOT } from './package-json.ts'

/**
 * Bytes for browsers, minified and gzipped. A ceiling is moved in the commit that needs it and with
 * a measured reason in its message, never to make a test pass.
 */
const CEILINGS: readonly [line: string, bytes: number][] = [
  ["export { verify } from 'hookproof'", 6_550],
  ["export { verifySync } from 'hookproof/sync'", 8_800],
  ["export { createInbox } from 'hookproof/inbox'", 8_950],
  ["export { memoryStore } from 'hookproof/inbox'", 1_720],
  ["export { postgresStore } from 'hookproof/inbox/postgres'", 6_900],
  ["export { sqliteStore } from 'hookproof/inbox/sqlite'", 5_050],
]

/** What each scheme adds to the first of them. */
const SCHEMES: readonly [scheme: string, path: string, trace: string, bytes: number][] = [
  ['paymos', 'paymos', 'x-webhook-signature', 20],
  ['stripe', 'stripe', 'stripe-signature', 280],
  // Three headers and base64.
  ['standardWebhooks', 'standard-webhooks', 'svix-', 780],
  ['github', 'github', 'x-github-event', 340],
  ['meta', 'meta', 'messaging', 420],
  ['subscribableMeta', 'meta', 'messaging', 614],
]

/** What each adapter adds to the first of them, and the engines it brings. */
const ADAPTERS: readonly [path: string, bytes: number, engines: readonly string[]][] = [
  ['hookproof/fetch', 1_250, ['hookproof/engines/native', 'hookproof/engines/web']],
  ['hookproof/node', 1_750, ['hookproof/engines/native']],
  ['hookproof/deno', 1_250, ['hookproof/engines/native']],
  ['hookproof/bun', 1_250, ['hookproof/engines/native']],
  ['hookproof/workers', 1_240, ['hookproof/engines/web']],
  ['hookproof/browser', 1_300, ['hookproof/engines/web']],
  ['hookproof/next', 1_900, ['hookproof/engines/native']],
  ['hookproof/express', 1_870, ['hookproof/engines/native']],
  ['hookproof/koa', 1_920, ['hookproof/engines/native']],
  ['hookproof/gcp', 1_870, ['hookproof/engines/native']],
  ['hookproof/azure', 1_150, ['hookproof/engines/native']],
  ['hookproof/elysia', 1_380, ['hookproof/engines/native', 'hookproof/engines/web']],
  ['hookproof/fastify', 2_010, ['hookproof/engines/native']],
  ['hookproof/h3', 1_860, ['hookproof/engines/native', 'hookproof/engines/web']],
  ['hookproof/hono', 1_490, ['hookproof/engines/native', 'hookproof/engines/web']],
  ['hookproof/lambda', 1_780, ['hookproof/engines/native']],
  ['hookproof/nest', 2_000, ['hookproof/engines/native']],
]

test.each(CEILINGS)('%s stays within %i bytes', async (line, ceiling) => {
  const size = gzipSize(await bundle(line))
  expect(size).toBeLessThanOrEqual(ceiling)
  // A ceiling far above the size guards nothing; an empty bundle means that nothing was measured.
  expect(size).toBeGreaterThan(ceiling * 0.8)
})

describe.each(SCHEMES)('the scheme %s', (scheme, path, trace, ceiling) => {
  const line = `export { ${scheme} } from 'hookproof/schemes/${path}'`

  test('adds little to a bundle', async () => {
    const alone = gzipSize(await bundle("export { verify } from 'hookproof'"))
    const both = gzipSize(await bundle(`export { verify } from 'hookproof'; ${line}`))
    expect(both - alone).toBeLessThanOrEqual(ceiling)
  })

  test.each([line, `export { ${scheme} } from 'hookproof/schemes'`])(
    'leaves no trace of another: %s',
    async (imported) => {
      const text = await bundle(imported)
      const traced = SCHEMES.map(([, , other]) => other).filter((other) => text.includes(other))
      expect(new Set(traced)).toEqual(new Set([trace]))
    },
  )
})

test.each(ADAPTERS)('the adapter %s adds at most %i bytes to a bundle', async (path, ceiling) => {
  const alone = gzipSize(await bundle("export { verify } from 'hookproof'"))
  const both = gzipSize(
    await bundle(`export { verify } from 'hookproof'; export { webhook } from '${path}'`),
  )
  expect(both - alone).toBeLessThanOrEqual(ceiling)
  expect(both - alone).toBeGreaterThan(ceiling * 0.8)
})

/** Every built file but the command, which runs on Node alone. */
const neutral = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.c?js$/u.test(file) && file !== 'cli.js',
)
const read = (file: string) => readFileSync(join(ROOT, 'dist', file), 'utf8')

describe.each(neutral)('dist/%s', (file) => {
  test('imports nothing but chunks beside it, and requires nothing', () => {
    const others = moduleNames(file, read(file)).filter(
      (name) => !/^(?:\.{1,2}\/)+chunk-\w+\.js$/u.test(name) || file.endsWith('.cjs'),
    )
    expect(others).toEqual([])
  })

  test('names a built-in module only to ask whether the runtime has it', () => {
    const asked = file.startsWith('testing/') ? '(?:https?|child_process|crypto)' : 'crypto'
    const lookUps = new RegExp(`getBuiltinModule\\?\\.\\(["']node:${asked}["']\\)`, 'gu')
    const text = read(file).replaceAll(lookUps, '')
    expect(text.match(/["'`]node:.*/gu)).toBeNull()
  })

  test('takes no global of one runtime', () => {
    const names = ['process', 'Buffer', 'Deno', 'Bun', 'window', 'global', 'require', '__dirname']
    expect(globalsUsed(file, read(file), names)).toEqual([])
  })
})

test('the sentences about reasons are in a bundle that imports them, and in no other', async () => {
  const sentences = Object.values(REASONS).map(({ meaning }) => meaning)
  const contained = (text: string) => sentences.filter((sentence) => text.includes(sentence))
  const calls = 'verify, verifyOrThrow, createVerifier, createSigner, WebhookConfigError'
  expect(sentences.length).toBeGreaterThan(20)
  expect(contained(await bundle("export { REASONS } from 'hookproof'"))).toEqual(sentences)
  expect(contained(await bundle(`export { ${calls} } from 'hookproof'`))).toEqual([])
  expect(contained(await bundle("export { verifySync } from 'hookproof/sync'"))).toEqual([])
})

/**
 * Texts by which each engine is known in a minified bundle; the last is the first word of SHA-256's
 * start value.
 */
const TRACES: Readonly<Record<string, readonly string[]>> = {
  'hookproof/engines/native': ['getBuiltinModule', 'createHmac'],
  'hookproof/engines/web': ['subtle', 'importKey'],
  'hookproof/engines/noble': ['1779033703'],
}

test('an engine is in the bundle of its own subpath', async () => {
  for (const [path, traces] of Object.entries(TRACES)) {
    const text = await bundle(`export * from '${path}'`)
    expect(traces.filter((trace) => !text.includes(trace))).toEqual([])
  }
})

/** The engines that an import brings, and no other. */
const IMPORTS: readonly (readonly [line: string, engines: readonly string[]])[] = [
  ["export { paymos } from 'hookproof/schemes/paymos'", []],
  ["export { paymos } from 'hookproof/schemes'", []],
  ["export { engine } from 'hookproof/engines/native'", ['hookproof/engines/native']],
  ["export { engine } from 'hookproof/engines/web'", ['hookproof/engines/web']],
  ["export { engine } from 'hookproof/engines/noble'", ['hookproof/engines/noble']],
  ["export { verify } from 'hookproof'", ['hookproof/engines/native', 'hookproof/engines/web']],
  [
    "export { verifySync } from 'hookproof/sync'",
    ['hookproof/engines/native', 'hookproof/engines/noble'],
  ],
  ...ADAPTERS.map(([path, , engines]) => [`export { webhook } from '${path}'`, engines] as const),
]

test.each(IMPORTS)('%s leaves traces of the engines %j', async (line, engines) => {
  const text = await bundle(line)
  const traced = Object.keys(TRACES).filter((path) =>
    TRACES[path]?.some((trace) => text.includes(trace)),
  )
  expect(traced).toEqual(engines)
})

describe.each(codeSubpaths)('importing %s', (path) => {
  test('for nothing leaves nothing in a bundle', async () => {
    expect(await bundle(`import '${path}'`)).toBe('')
  })

  test('works where there is nothing but ECMAScript, and adds no global', async () => {
    const context = createContext(Object.create(null))
    const script = await bundle(`export * from '${path}'`, {
      format: 'iife',
      globalName: 'library',
    })
    runInContext(script, context)
    expect(Object.keys(context)).toEqual(['library'])
    expect(Object.keys(context.library)).not.toEqual([])
  })
})

test.each(neutral.filter((file) => file.endsWith('.js')))(
  'loading dist/%s does nothing',
  async (file) => {
    const kept = await effectsOf(read(file))
    // Products of numbers, which bundlers do not fold.
    expect(kept.replaceAll(/var \w+=[\d*]+(?:,\w+=[\d*]+)*;|\s/gu, '')).toBe('')
  },
)

test('a module that does something when it is loaded is found', async () => {
  expect(await effectsOf('const seen = new Map()\nexport const a = 1')).toBe('')
  expect(await effectsOf('globalThis.seen = new Map()\nexport const a = 1')).toContain('new Map')
})
