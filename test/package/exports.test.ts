import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeSubpaths, packageJson, ROOT } from './package-json.ts'

/**
 * What each subpath exports at run time. A new name is added here by hand, so that none is public
 * by accident.
 */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  hookproof: [
    'REASONS',
    'WebhookConfigError',
    'WebhookVerificationError',
    'createSigner',
    'createVerifier',
    'verify',
    'verifyOrThrow',
  ],
  'hookproof/sync': [
    'REASONS',
    'WebhookConfigError',
    'WebhookVerificationError',
    'constructEvent',
    'createSyncSigner',
    'createSyncVerifier',
    'verifySync',
  ],
  'hookproof/schemes': [
    'github',
    'meta',
    'paymos',
    'reject',
    'standardWebhooks',
    'stripe',
    'subscribableMeta',
  ],
  'hookproof/schemes/github': ['github'],
  'hookproof/schemes/meta': ['meta', 'subscribableMeta'],
  'hookproof/schemes/paymos': ['paymos'],
  'hookproof/schemes/standard-webhooks': ['standardWebhooks'],
  'hookproof/schemes/stripe': ['stripe'],
  'hookproof/fetch': ['webhook'],
  'hookproof/node': ['toWebhookRequest', 'webhook'],
  'hookproof/deno': ['webhook'],
  'hookproof/bun': ['webhook'],
  'hookproof/workers': ['webhook'],
  'hookproof/browser': ['webhook'],
  'hookproof/next': ['toWebhookRequest', 'webhook'],
  'hookproof/express': ['toWebhookRequest', 'webhook'],
  'hookproof/koa': ['toWebhookRequest', 'webhook'],
  'hookproof/gcp': ['toWebhookRequest', 'webhook'],
  'hookproof/azure': ['toWebhookRequest', 'webhook'],
  'hookproof/elysia': ['toWebhookRequest', 'webhook'],
  'hookproof/fastify': ['toWebhookRequest', 'webhook'],
  'hookproof/h3': ['toWebhookRequest', 'webhook'],
  'hookproof/hono': ['toWebhookRequest', 'webhook'],
  'hookproof/lambda': ['toWebhookRequest', 'webhook'],
  'hookproof/nest': ['toWebhookRequest', 'webhook'],
  'hookproof/conformance': [
    'AdapterError',
    'ExpectationsError',
    'SuiteError',
    'loadSuite',
    'runSuite',
    'summaryLine',
    'toMarkdown',
  ],
  'hookproof/inbox': ['createInbox', 'memoryStore'],
  'hookproof/inbox/conformance': ['storeConformance'],
  'hookproof/inbox/postgres': ['migrationSql', 'postgresStore'],
  'hookproof/inbox/sqlite': ['migrationSql', 'sqliteStore'],
  'hookproof/testing': [
    'LADDER',
    'PAYMOS_EVENT_TYPES',
    'childProcess',
    'createClock',
    'createGate',
    'createSender',
    'fanOut',
    'githubMessage',
    'githubStory',
    'metaEvent',
    'metaStory',
    'paymosEvent',
    'paymosStory',
    'proofs',
    'replayKit',
    'signedDelivery',
    'standardWebhooksEvent',
    'standardWebhooksStory',
    'stripeEvent',
    'stripeStory',
    'toMessage',
  ],
  'hookproof/engines/native': ['engine'],
  'hookproof/engines/noble': ['engine'],
  'hookproof/engines/web': ['engine'],
}

const require = createRequire(import.meta.url)

test('package.json exports the listed subpaths and no other', () => {
  expect([...codeSubpaths].sort()).toEqual(Object.keys(NAMES).sort())
})

test.each(Object.entries(NAMES))(
  '%s exports the listed names as an ES module',
  async (path, names) => {
    expect(Object.keys(await import(path)).sort()).toEqual(names)
  },
)

test.each(Object.entries(NAMES))('%s exports the same names as CommonJS', (path, names) => {
  expect(Object.keys(require(path)).sort()).toEqual(names)
})

test('every file that package.json names is built', () => {
  const named = Object.values(packageJson.exports).flatMap((target) =>
    typeof target === 'string' ? [] : Object.values(target).flatMap(Object.values<string>),
  )
  const files = [...named, ...Object.values(packageJson.bin)]
  expect(files.length).toBeGreaterThan(codeSubpaths.length * 4)
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

test('every built entry is exported', () => {
  const targets = JSON.stringify([packageJson.exports, packageJson.bin])
  const built = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
  const scripts = built.filter((file) => /\.c?js$/u.test(file) && !file.startsWith('chunk-'))
  expect(scripts.filter((file) => !targets.includes(`"./dist/${file}"`))).toEqual([])
})

test('the vectors and package.json are importable', () => {
  expect(require('hookproof/package.json')).toEqual(packageJson)
  expect(require('hookproof/vectors/manifest.json')).toBeTypeOf('object')
  expect(require('hookproof/vectors/v1/paymos/sig.json')).toBeTypeOf('object')
})

test('nothing but the listed subpaths is importable', () => {
  for (const path of [
    'hookproof/dist/index.js',
    'hookproof/core/bytes',
    'hookproof/src/index.ts',
  ]) {
    expect(() => require(path)).toThrow(
      expect.objectContaining({ code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' }),
    )
  }
})

test('nothing is installed beside the package', () => {
  expect(packageJson.dependencies).toEqual({})
  expect(packageJson).not.toHaveProperty('peerDependencies')
  expect(packageJson).not.toHaveProperty('optionalDependencies')
})

test('the lockfile names no registry', () => {
  expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toContain('"resolved"')
})
