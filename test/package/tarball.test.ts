import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { pack, run, temporaryFolder } from './pack.ts'
import { codeSubpaths, packageJson, ROOT } from './package-json.ts'

/** An empty project in which the tarball is installed, with no registry to ask. */
const project = temporaryFolder()
const installed = join(project, 'node_modules', 'hookproof')
const files = (): string[] => readdirSync(installed, { recursive: true, encoding: 'utf8' })

beforeAll(() => {
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  run('npm', ['install', ...flags, pack()], project)
})

describe('the package', () => {
  test('holds the build, the vectors, the docs and the papers', () => {
    expect(readdirSync(installed).sort()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist',
      'docs',
      'package.json',
      'vectors',
    ])
  })

  test('carries the licence of the code it bundles, and that of the vectors', () => {
    const licence = readFileSync(join(installed, 'dist/LICENSE-noble-hashes'), 'utf8')
    expect(licence).toBe(readFileSync(join(ROOT, 'node_modules/@noble/hashes/LICENSE'), 'utf8'))
    expect(files()).toContain(join('vectors', 'LICENSE'))
  })

  test('holds no source, test, source map or cache', () => {
    const unwanted =
      /^(?:src|tests?)(?:[\\/]|$)|(?:^|[\\/])(?:node_modules|__pycache__|target|build)(?:[\\/]|$)|\.map$|\.pyc$|\.tgz$|(?<!\.d)\.[cm]?ts$/u
    expect(files().filter((file) => unwanted.test(file))).toEqual([])
    const scripts = files().filter((file) => /^dist.*\.c?js$/u.test(file))
    expect(scripts.length).toBeGreaterThan(codeSubpaths.length)
    for (const file of scripts) {
      expect(readFileSync(join(installed, file), 'utf8')).not.toContain('sourceMappingURL')
    }
  })

  test('brings nothing with it', () => {
    expect(
      readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['hookproof'])
  })
})

/** A delivery made by hand, as the provider's documentation says. */
const secret = 'whsec_5a1e6b9c'
const timestamp = 1_700_000_000
const body = JSON.stringify({
  event_id: 'evt_1',
  event_type: 'invoice.paid',
  version: 1,
  occurred_at: timestamp,
  data: {},
})
const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
const header = `t=${timestamp},v1=${signature}`
const delivery = JSON.stringify({ headers: { 'X-Webhook-Signature': header }, body })
const options = `{ secret: '${secret}', now: () => ${timestamp} }`

const PROGRAMS: readonly [name: string, file: string, program: string][] = [
  [
    'an ES module',
    'receive.mjs',
    `import { verify } from 'hookproof'
     import { verifySync } from 'hookproof/sync'
     const delivery = ${delivery}
     const verdicts = [await verify(delivery, ${options}), verifySync(delivery, ${options})]
     console.log(verdicts.map(({ event }) => event.event_id).join())`,
  ],
  [
    'a CommonJS module',
    'receive.cjs',
    `const { verify } = require('hookproof')
     const { verifySync } = require('hookproof/sync')
     const delivery = ${delivery}
     verify(delivery, ${options}).then((verdict) => {
       const verdicts = [verdict, verifySync(delivery, ${options})]
       console.log(verdicts.map(({ event }) => event.event_id).join())
     })`,
  ],
]

describe('a project that installed it', () => {
  test.each(PROGRAMS)('verifies a delivery from %s', (_, file, program) => {
    writeFileSync(join(project, file), program)
    expect(run('node', [file], project)).toBe('evt_1,evt_1\n')
  })

  test('loads every subpath in both formats', () => {
    const paths = JSON.stringify(codeSubpaths)
    const program = `
      for (const path of ${paths}) {
        const [a, b] = [await import(path), require(path)].map((module) => Object.keys(module).sort())
        if (a.length === 0 || a.join() !== b.join()) throw new Error(path)
      }`
    const lines = [
      "import { createRequire } from 'node:module'",
      'const require = createRequire(import.meta.url)',
    ]
    writeFileSync(join(project, 'all.mjs'), [...lines, program].join('\n'))
    expect(run('node', ['all.mjs'], project)).toBe('')
  })

  test('reads the vectors from it', () => {
    const program = `console.log(require('hookproof/vectors/manifest.json') !== undefined &&
      require('hookproof/vectors/v1/paymos/sig.json') !== undefined)`
    expect(run('node', ['-e', program], project)).toBe('true\n')
  })

  test('has the command', () => {
    const command = join(project, 'node_modules', '.bin', 'hookproof')
    expect(run(command, ['--help'], project)).toMatch(/^hookproof: /u)
    expect(run(command, ['--version'], project)).toContain(packageJson.version)
  })
})
