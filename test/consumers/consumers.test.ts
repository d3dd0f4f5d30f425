import { createHmac } from 'node:crypto'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { pack, run, temporaryFolder } from '../package/pack.ts'
import { ROOT } from '../package/package-json.ts'
import { leftOut } from '../requirements.ts'

// The packed package, in projects that bundle it, test with it and check its types, each with its own tool.

const project = temporaryFolder()
const tools = (...path: string[]) => join(import.meta.dirname, 'node_modules', ...path)
const root = (...path: string[]) => join(ROOT, 'node_modules', ...path)
const runtimes = (...path: string[]) => join(ROOT, 'test/runtimes/node_modules', ...path)
const DENO = runtimes('@deno/linux-x64-glibc/deno')
const BUN = runtimes('@oven/bun-linux-x64/bin/bun')

const SECRET = 'test_only_consumers'
const NOW = 1_700_000_000
const BODY = JSON.stringify({
  event_id: 'evt_1',
  event_type: 'invoice.paid',
  version: 1,
  occurred_at: NOW,
  data: {},
})
const V1 = createHmac('sha256', SECRET).update(`${NOW}.${BODY}`).digest('hex')

/** Verifies one delivery in each way; `expect` is told what came of it. */
const PROGRAM = `
const body = ${JSON.stringify(BODY)}
const headers = { 'X-Webhook-Signature': 't=${NOW},v1=${V1}' }
const options = { secret: '${SECRET}', now: () => ${NOW} }

export async function receive() {
  const verdicts = [
    await verify({ headers, body }, options),
    await verify({ headers, body: new TextEncoder().encode(body) }, options),
    verifySync({ headers, body }, options),
    verifySync({ headers, body: \`\${body} \` }, options),
  ]
  const request = new Request('https://receiver.example/', { method: 'POST', headers, body })
  const { status } = await webhook(options, () => {})(request)
  let mistake
  try {
    createVerifier({ secret: '' })
  } catch (error) {
    mistake = error instanceof WebhookConfigError && error.code
  }
  return [...verdicts.map(({ event, reason }) => event?.event_id ?? reason), status, mistake].join()
}
`
const IMPORTS = `
import { createVerifier, verify, WebhookConfigError } from 'hookproof'
import { webhook } from 'hookproof/fetch'
import { verifySync } from 'hookproof/sync'
`
const REQUIRES = IMPORTS.replaceAll(/import (.*) from (.*)/gu, 'const $1 = require($2)')
const ANSWER = 'evt_1,evt_1,evt_1,signature_mismatch,204,secret_missing'

beforeAll(() => {
  write('package.json', '{ "private": true, "type": "module" }')
  const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  run('npm', ['install', ...flags, pack()], project)
  write('receive.js', IMPORTS + PROGRAM)
  write('main.js', "import { receive } from './receive.js'\nreceive().then(console.log)")
})

describe('a bundle by', () => {
  testWith('esbuild', root('esbuild/bin/esbuild'), (esbuild) => {
    run(esbuild, ['main.js', '--bundle', '--format=esm', '--outfile=esbuild.mjs'], project)
    expect(run('node', ['esbuild.mjs'], project)).toBe(`${ANSWER}\n`)
  })

  testWith('Vite', root('vite/bin/vite.js'), (vite) => {
    const build = { outDir: 'vite', lib: { entry: 'main.js', formats: ['es'], fileName: 'main' } }
    write('vite.config.js', `export default { build: ${JSON.stringify(build)} }`)
    run('node', [vite, 'build', '--logLevel=warn'], project)
    expect(run('node', ['vite/main.js'], project)).toBe(`${ANSWER}\n`)
  })

  // Packages stay outside, and are found by Node's own loader.
  testWith('Vite, for a server', root('vite/bin/vite.js'), (vite) => {
    write('server.config.js', "export default { build: { ssr: 'main.js', outDir: 'server' } }")
    const flags = ['--config=server.config.js', '--logLevel=warn']
    run('node', [vite, 'build', ...flags], project)
    expect(run('node', ['server/main.js'], project)).toBe(`${ANSWER}\n`)
  })

  testWith('webpack', tools('webpack/lib/index.js'), (webpack) => {
    write(
      'webpack.cjs',
      `require(${JSON.stringify(webpack)})(
        {
          mode: 'production',
          target: 'web',
          context: __dirname,
          entry: './main.js',
          output: { path: __dirname, filename: 'webpacked.cjs' },
        },
        (error, stats) => {
          const { errors, warnings } = stats?.toJson() ?? { errors: [error], warnings: [] }
          for (const problem of [...errors, ...warnings]) console.log(problem.message)
        },
      )`,
    )
    expect(run('node', ['webpack.cjs'], project)).toBe('')
    expect(run('node', ['webpacked.cjs'], project)).toBe(`${ANSWER}\n`)
  })
})

describe('a program run by', () => {
  testWith('Deno', DENO, (deno) => {
    const flags = ['run', '--no-prompt', '--no-lock', '--node-modules-dir=manual']
    expect(run(deno, [...flags, 'main.js'], project)).toBe(`${ANSWER}\n`)
  })

  testWith('Bun', BUN, (bun) => {
    expect(run(bun, ['main.js'], project)).toBe(`${ANSWER}\n`)
  })
})

describe('a project that tests with', () => {
  // Each test file of jest has a realm of its own, with other arrays and errors than Node's.
  testWith('jest', tools('jest/bin/jest.js'), (jest) => {
    mkdirSync(join(project, 'jest'))
    write('jest/package.json', '{ "type": "commonjs", "jest": {} }')
    const program = REQUIRES + PROGRAM.replace('export ', '')
    write('jest/receive.test.js', `${program}\n${testOf('require("node:assert").equal')}`)
    run('node', [jest, '--rootDir=jest', '--ci', '--cacheDirectory=jest/cache'], project)
  })

  testWith('vitest', root('vitest/vitest.mjs'), (vitest) => {
    mkdirSync(join(project, 'vitest'))
    symlinkSync(root(), join(project, 'vitest/node_modules'))
    const lines = ["import assert from 'node:assert'", "import { test } from 'vitest'"]
    const program = [...lines, "import { receive } from '../receive.js'", testOf('assert.equal')]
    write('vitest/receive.test.js', program.join('\n'))
    run('node', [vitest, 'run', '--root=vitest'], project)
  })
})

describe('types, with', () => {
  const server = (before: string, after: string) =>
    `${IMPORTS}${before}
    const receive = webhook({ secret: '${SECRET}' }, async ({ event, delivery }) => {
      const text: string = event.event_type
      // @ts-expect-error
      const wrong: number = delivery.type
    })
    export const verdict: Promise<{ readonly ok: boolean }> = verify(
      new Request('https://receiver.example/'),
      { secret: '${SECRET}' },
    )
    // @ts-expect-error
    verify(42, { secret: '${SECRET}' })
    ${after}`.replace(/^import \{ webhook.*$/mu, '')

  testWith('Deno', DENO, (deno) => {
    const text = server("import { webhook } from 'hookproof/deno'", 'Deno.serve(receive)')
    write('deno.ts', text)
    run(deno, ['check', '--no-lock', '--node-modules-dir=manual', 'deno.ts'], project)
  })

  testWith('Bun', tools('@types/bun/index.d.ts'), (types) => {
    const serve = "Bun.serve({ routes: { '/webhook': receive } }); Bun.serve({ fetch: receive })"
    write('bun.ts', server("import { webhook } from 'hookproof/bun'", serve))
    typeCheck(root('typescript'), ['bun.ts'], { types: [types], skipLibCheck: true })
  })
})

const USAGE = ['events', 'inference', 'inputs', 'public-names', 'secrets', 'verdict', 'adapters']
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' }
const COMPILERS = [
  ['5.5', tools('ts55')],
  ['5.9', root('typescript')],
  ['6.0', tools('ts60')],
  ['7.0', tools('ts70')],
] as const

describe.each(COMPILERS)('types, with TypeScript %s and', (version, compiler) => {
  const files = ['assertions.d.ts', ...USAGE.map((name) => `${name}.ts`)]
  const usage = files.map((name) => join(ROOT, 'test/types/usage', name))
  const settings = { nodenext: {}, bundler: BUNDLER }
  for (const [name, more] of Object.entries(settings)) {
    testWith(name, join(compiler, 'bin/tsc'), () => {
      expect(run('node', [join(compiler, 'bin/tsc'), '--version'], project)).toContain(version)
      typeCheck(compiler, usage, more)
    })
  }
})

function testWith(name: string, tool: string, run: (tool: string) => void): void {
  const missing = existsSync(tool) ? [] : [relative(ROOT, tool)]
  test.skipIf(leftOut(missing))(name, { timeout: 120_000 }, () => {
    expect(missing).toEqual([])
    run(tool)
  })
}

function testOf(equal: string): string {
  return `test('receives', async () => ${equal}(await receive(), '${ANSWER}'))`
}

/** With neither the DOM nor Node, and with the declarations themselves checked, unless told otherwise. */
function typeCheck(compiler: string, files: readonly string[], more: object): void {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    target: 'es2022',
    lib: ['es2022'],
    types: [],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    ...more,
  }
  write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
  run('node', [join(compiler, 'bin/tsc'), '-p', 'tsconfig.json'], project)
}

function write(name: string, text: string): void {
  writeFileSync(join(project, name), text)
}
