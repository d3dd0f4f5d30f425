import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { ENVIRONMENT, expectReceiver, PRINTED_FOR_PAID, SECRET } from '../frameworks/expect-page.ts'
import { within, withProgram } from '../runtimes/host/processes.js'
import { blocksOf, frameworkPages, ROOT } from './blocks.ts'
import { folder } from './load.ts'

// The programs of docs/start that need a runtime of their own, run in it; those for Node are run by
// blocks.test.ts, those for a framework by test/frameworks.

const MODULES = `${ROOT}test/runtimes/node_modules/`
const RUNTIMES: Readonly<Record<string, string>> = {
  deno: `${MODULES}@deno/linux-x64-glibc/deno`,
  bun: `${MODULES}@oven/bun-linux-x64/bin/bun`,
  workers: `${MODULES}@cloudflare/workerd-linux-64/bin/workerd`,
}

/** Whether a runtime is there; under CI it has to be. */
function has(name: string): boolean {
  if (existsSync(RUNTIMES[name] ?? '')) return true
  if (process.env.CI) throw new Error(`${name} is missing: npm ci --prefix test/runtimes`)
  console.log(`${name} is missing: its page in docs/start is not run`)
  return false
}

const page = (name: string) => blocksOf(`docs/start/${name}.md`)
const program = (name: string) => page(name).find(({ language }) => language === 'ts')?.code ?? ''

/** The port that a program says it listens on. */
async function portOf({ text, errors, ended }: Printed): Promise<number> {
  const look = async () => {
    for (;;) {
      const port = /127\.0\.0\.1:(\d+)|0\.0\.0\.0:(\d+)|localhost:(\d+)/u.exec(text() + errors())
      if (port) return Number(port[1] ?? port[2] ?? port[3])
      const over = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20))])
      if (over !== undefined) throw new Error(`it ended:\n${text()}${errors()}`)
    }
  }
  return within(20, look(), 'listening')
}

interface Printed {
  readonly ended: Promise<number>
  readonly text: () => string
  readonly errors: () => string
}

describe.runIf(has('deno'))('docs/start/deno.md', () => {
  test('runs in Deno, with the permissions it names', async () => {
    writeFileSync(`${folder}/deno.ts`, program('deno'))
    const map = { imports: { 'hookproof/deno': `file://${ROOT}dist/adapters/deno.js` } }
    writeFileSync(`${folder}/deno-map.json`, JSON.stringify(map))
    const shell = page('deno').find(({ language }) => language === 'sh')?.code
    const flags = /^deno run (.*) receive\.ts$/mu.exec(shell ?? '')?.[1]?.split(' ') ?? []
    const args = ['run', '--no-config', '--no-lock', `--import-map=${folder}/deno-map.json`]
    await withProgram(
      RUNTIMES.deno ?? '',
      [...args, ...flags, `${folder}/deno.ts`],
      async (running) => {
        const url = `http://127.0.0.1:${await portOf(running)}/webhook`
        await expectReceiver(
          (init) => fetch(url, init),
          () => running.text() + running.errors(),
        )
        expect(running.text()).toContain(PRINTED_FOR_PAID)
      },
      { env: ENVIRONMENT },
    )
  })
})

describe.runIf(has('bun'))('docs/start/bun.md', () => {
  test('runs in Bun', async () => {
    writeFileSync(`${folder}/bun.ts`, program('bun'))
    await withProgram(
      RUNTIMES.bun ?? '',
      [`${folder}/bun.ts`],
      async (running) => {
        const url = `http://127.0.0.1:${await portOf(running)}/webhook`
        await expectReceiver(
          (init) => fetch(url, init),
          () => running.text() + running.errors(),
        )
        expect(running.text()).toContain(PRINTED_FOR_PAID)
      },
      { env: ENVIRONMENT },
    )
  })
})

describe.runIf(has('workers'))('docs/start/workers.md', () => {
  test('runs in workerd', async () => {
    await build({
      stdin: { contents: program('workers'), resolveDir: folder, loader: 'ts' },
      outfile: `${folder}/worker.js`,
      bundle: true,
      format: 'esm',
      logLevel: 'silent',
    })
    writeFileSync(
      `${folder}/config.capnp`,
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  bindings = [(name = "WEBHOOK_SECRET", text = ${JSON.stringify(SECRET)})],
  compatibilityDate = "2026-04-01"
);
`,
    )
    await withProgram(
      RUNTIMES.workers ?? '',
      ['serve', `${folder}/config.capnp`, '--control-fd=1', '--verbose'],
      async (running) => {
        const port = await within(
          20,
          expect.poll(running.text, { timeout: 20_000 }).toMatch(/"port"/u),
          'workerd',
        ).then(() => /"port": *(\d+)/u.exec(running.text())?.[1])
        await expectReceiver(
          (init) => fetch(`http://127.0.0.1:${port}/webhook`, init),
          () => running.text() + running.errors(),
        )
      },
    )
  })
})

describe('docs/start/browser.md', () => {
  test('answers the requests of its path, in a scope like that of a service worker', async () => {
    const { outputText } = ts.transpileModule(program('browser'), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    })
    const self = new EventTarget()
    const warned: string[] = []
    const console = { log: () => {}, warn: (...words: string[]) => warned.push(words.join(' ')) }
    writeFileSync(
      `${folder}/browser.mjs`,
      `export const run = (self, console) => import('hookproof/browser').then(({ webhook }) => {
        ${outputText.replace(/^import .*$/mu, '')}
      })`.replace('export {};', ''),
    )
    const { run } = await import(/* @vite-ignore */ `${folder}/browser.mjs`)
    await run(self, console)
    const dispatch = (path: string, init: RequestInit) => {
      let answer: Promise<Response> | undefined
      const event = Object.assign(new Event('fetch'), {
        request: new Request(`https://example.com${path}`, init),
        respondWith(response: Promise<Response>) {
          answer = response
        },
      })
      self.dispatchEvent(event)
      return answer
    }
    await expectReceiver(
      async (init) => (await dispatch('/webhook', init)) as Response,
      () => warned.join(' '),
      { secret: 'test_only_secret' },
    )
    expect(dispatch('/page.html', {})).toBeUndefined()
  })

  test('says first what it must not be used for', () => {
    const [, first] = readFileSync(`${ROOT}docs/start/browser.md`, 'utf8').split('\n\n')
    expect(first).toMatch(/^\*\*.* must not hold a production secret\.\*\*/u)
  })
})

test('every page of docs/start is run by one test or the other', () => {
  const pages = readdirSync(`${ROOT}docs/start`).map((file) => `docs/start/${file}`)
  const others = [...Object.keys(RUNTIMES), 'browser', 'fetch', 'node']
  const run = [...others.map((name) => `docs/start/${name}.md`), ...frameworkPages()]
  expect(pages.sort()).toEqual(run.sort())
})
