import { execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { createSigner } from '../../dist/index.js'
import { stripe } from '../../dist/schemes/index.js'
import { BODY } from '../fixtures.ts'
import { PAID, SECRET } from '../frameworks/expect-page.ts'
import { type Block, blocksOf, frameworkPages, pages, ROOT } from './blocks.ts'
import { folder, load } from './load.ts'

/** Run by test/conformance/docs.test.ts, in a project that has the package installed. */
const IN_A_PROJECT = ['docs/conformance.md', 'vectors/README.md']
/** Run as a whole by test/cli/prove-docs.test.ts. */
const OF_ITS_OWN = 'docs/prove.md'
const blocks = pages()
  .filter((page) => page !== OF_ITS_OWN)
  .flatMap(blocksOf)
  .filter(({ needsDatabase }) => !needsDatabase)
  .filter(
    ({ page, language }) => !IN_A_PROJECT.includes(page) || !/^(?:sh|python)$/u.test(language),
  )
const named = (list: readonly Block[]) =>
  list.map((block) => [`${block.page}:${block.line}`, block] as const)

const signer = createSigner({ secret: SECRET })
const forger = createSigner({ secret: 'test_only_forged' })

/** What a code block's exports must do with a good and a forged delivery. */
const USES: Record<string, (used: never) => Promise<void>> = {
  async POST(POST: (request: Request) => Promise<Response>) {
    const post = (headers: Record<string, string>) =>
      POST(new Request('http://localhost', { method: 'POST', headers, body: PAID }))
    expect((await post(await signer.sign({ body: PAID }))).status).toBe(204)
    expect((await post(await forger.sign({ body: PAID }))).status).toBe(401)
    expect((await post({})).status).toBe(400)
  },
  async charge(charge: (request: Request) => Promise<string | undefined>) {
    const body = JSON.stringify({ id: 'evt_1', type: 'charge.succeeded' })
    const post = (headers: Record<string, string>) =>
      charge(new Request('http://localhost', { method: 'POST', headers, body }))
    const charges = createSigner({ secret: SECRET, scheme: stripe })
    expect(await post(await charges.sign({ body }))).toBe('charge.succeeded evt_1')
    expect(await post({})).toBeUndefined()
  },
  async server(server: import('node:http').Server) {
    // Some programs listen by themselves.
    if (!server.listening) server.listen(0, '127.0.0.1')
    if (server.address() === null) await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const post = (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', headers, body: PAID })
    try {
      const { status } = await post(await signer.sign({ body: PAID }))
      expect([202, 204]).toContain(status)
      // With an inbox it is a duplicate; a handler is called each time.
      const again = status === 202 ? 200 : 204
      expect((await post(await signer.sign({ body: PAID }))).status).toBe(again)
      expect((await post(await forger.sign({ body: PAID }))).status).toBe(401)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  },
  async inbox(inbox: import('../../dist/inbox/index.js').Inbox) {
    await expect.poll(() => inbox.find({ outcome: 'done' })).toMatchObject([{ id: 'evt_1' }])
    await inbox.stop()
  },
  async handle(handle: (headers: Record<string, string>, body: Uint8Array) => unknown) {
    const body = Buffer.from(BODY)
    expect(handle({ ...(await signer.sign({ body })) }, body)).toBe('evt_1')
    const forged = { ...(await forger.sign({ body })) }
    expect(() => handle(forged, body)).toThrow(/^signature_mismatch/u)
  },
  async report(report: { readonly outcome: string }) {
    expect(report.outcome).toBe('passed')
  },
  async verify(verify: (request: object) => Promise<object>) {
    const shopify = createHmac('sha256', SECRET).update(BODY).digest('base64')
    const headers = { ...(await signer.sign({ body: BODY })), 'X-Shopify-Hmac-SHA256': shopify }
    expect(await verify({ headers, body: BODY })).toMatchObject({
      ok: true,
      matched: { secret: 0 },
    })
    expect(await verify({ headers, body: `${BODY} ` })).toMatchObject({
      reason: 'signature_mismatch',
    })
    expect(await verify({ headers: {}, body: BODY })).toMatchObject({ reason: 'header_missing' })
  },
}

describe('every TypeScript block compiles and does what it says', () => {
  // The programs of frameworks are compiled and run where the frameworks are: test/frameworks.
  const elsewhere = frameworkPages()
  const code = blocks.filter(({ language, page }) => language === 'ts' && !elsewhere.includes(page))

  /** The libraries of a program; a service worker has one of its own. */
  const LIBRARIES = {
    others: { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: ['node'] },
    'docs/start/browser.md': { lib: ['lib.es2022.d.ts', 'lib.webworker.d.ts'], types: [] },
  }

  test.each(Object.entries(LIBRARIES))('compiles: %s', (name, libraries) => {
    const page = (block: Block) => (block.page in LIBRARIES ? block.page : 'others')
    const files = code
      .filter((block) => page(block) === name)
      .map((block, index) => {
        const file = `${folder}/${name.replaceAll(/\W/gu, '-')}-${index}.ts`
        writeFileSync(file, block.code)
        return file
      })
    if (name === 'others') files.push(`${ROOT}test/docs/runtimes.d.ts`)
    const program = ts.createProgram(files, {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      ...libraries,
    })
    const faults = ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ messageText, file }) =>
          `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      )
    expect(files).not.toEqual([])
    expect(faults).toEqual([])
  })

  // Those of the page about migrating, and those that need another runtime, have tests of their own.
  const own = code.filter(
    ({ page }) => !/^docs\/(?:migrating|start\/(?:deno|bun|workers|browser))\.md$/u.test(page),
  )
  test.each(named(own))('%s runs', async (name, block) => {
    const exports = await load(name, block)
    const used = Object.keys(USES).filter((use) => use in exports)
    expect(used, 'an export that this test knows how to use').not.toEqual([])
    for (const use of used) await USES[use]?.(exports[use] as never)
  })
})

describe('every shell block runs', () => {
  /**
   * Installing, running the demo and running the tests are checked for what they name, not run
   * inside the tests.
   */
  const SET_UP: Record<string, () => void> = {
    'npm ci && npm run demo': () =>
      expect(scripts().demo).toMatch(/^npm run .*build && node docs\/examples\/demo\.js$/u),
    'npm ci && npm test': () =>
      expect(readFileSync(`${ROOT}.ci/run`, 'utf8')).toMatch(/^npm ci && npm test$/mu),
    'npm ci\nnpm test': () => expect(scripts().test).toMatch(/vitest run/u),
    [blocksOf('docs/runtimes.md').find(({ language }) => language === 'sh')?.code ?? '']: () =>
      expect(scripts().runtimes).toMatch(/vitest run test\/runtimes/u),
    'npm install hookproof': installs,
    'deno add npm:hookproof\ndeno run --allow-net --allow-env receive.ts': installs,
    'bun add hookproof\nbun receive.ts': installs,
    'npm install hookproof\nnpx wrangler secret put WEBHOOK_SECRET': installs,
  }
  function installs(): void {
    expect(JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')).name).toBe('hookproof')
  }
  const scripts = (): Record<string, string> =>
    JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')).scripts

  test.each(named(blocks.filter(({ language }) => language === 'sh')))('%s', async (_, block) => {
    const setUp = SET_UP[block.code]
    if (setUp !== undefined) return setUp()
    const script = block.code.replaceAll(
      'npx hookproof',
      `"${process.execPath}" "${ROOT}dist/cli.js"`,
    )
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: folder })
    expect(stdout).toMatch(/^accepted: /mu)
  })
})

test('blocks in other languages are only text, JSON and data', () => {
  const others = blocks.filter(({ language }) => !['ts', 'sh', 'python'].includes(language))
  for (const { page, line, language, code } of others) {
    expect(['', 'text', 'json', 'abnf'], `${page}:${line}`).toContain(language)
    if (language === 'json') JSON.parse(code)
  }
})

test('the demo prints what the README shows', async () => {
  const demo = spawn(process.execPath, ['docs/examples/demo.js'], { cwd: ROOT })
  let output = ''
  demo.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  expect(await once(demo, 'close')).toEqual([0, null])
  const shown = blocksOf('README.md').find(({ language }) => language === 'text')?.code
  expect(output.trimEnd().replaceAll(/(?<=refused: \w+) \(.*\)$/gmu, ' (…)')).toBe(shown)
})

test('links between pages lead somewhere', () => {
  for (const page of pages()) {
    const text = readFileSync(ROOT + page, 'utf8')
    for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/gu)) {
      const path = new URL(target as string, `file://${ROOT}${page}`).pathname
      expect(existsSync(path), `${page}: ${target}`).toBe(true)
    }
  }
})
