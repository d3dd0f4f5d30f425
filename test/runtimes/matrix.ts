import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** A runtime and how the suite is started in it. */
export interface Runtime {
  readonly name: string
  /** What of a version stays true in a page: all of a pinned one, less of one that moves. */
  readonly version: (found: string) => string
  /** What the async face is to compute with when nobody says. */
  readonly engine: 'native' | 'web' | 'none'
  /** Programs and packages that have to be there, as paths from this folder. */
  readonly needs: readonly string[]
  /** Prints the report as one line of JSON. Run in this folder, once `node build.js` has run. */
  readonly suite: Command
  /** The subpath with its adapter, where it can serve; the suite's report has the contract, or `serve` is checked. */
  readonly adapter?: string
  /** Serves the contract's receiver and prints where, as one line of JSON: `http`, and `http2` where there is one. */
  readonly serve?: Command
}

export type Command = readonly [command: string, ...args: string[]]

export const HERE: string = import.meta.dirname
const CHROMIUM = ['/usr/bin/chromium', 'node_modules/playwright-core']
const FIREFOX = ['/usr/bin/firefox-esr', 'node_modules/puppeteer-core']
const WEBKIT = ['/usr/bin/WebKitWebDriver', '/usr/bin/xvfb-run']
const DENO = 'node_modules/@deno/linux-x64-glibc/deno'
const DENO_RUN = [DENO, 'run', '--no-prompt', '--no-config', '--no-lock'] as const
const BUN = 'node_modules/@oven/bun-linux-x64/bin/bun'
const WORKERD = 'node_modules/@cloudflare/workerd-linux-64/bin/workerd'

/** Node 20 is the one on the PATH, which runs the tests; the others are pinned. */
const NODES = [
  [20, process.versions.node.startsWith('20.') ? 'node' : 'Node 20 on the PATH'],
  ...[22, 24, 26].map((major) => [major, `node_modules/node${major}/bin/node`] as const),
] as const

const exact = (found: string) => found
const major = (found: string) => found.replace(/\..*$/u, '')

export const RUNTIMES: readonly Runtime[] = [
  ...NODES.flatMap(([version, node]): Runtime[] => {
    const common = {
      version: major,
      engine: 'native',
      adapter: 'hookproof/node',
      needs: node === 'node' ? [] : [node],
    } as const
    return [
      {
        ...common,
        name: `Node ${version}, ES modules`,
        suite: [node, 'run-node.mjs'],
        serve: [node, 'serve-node.mjs'],
      },
      {
        ...common,
        name: `Node ${version}, CommonJS`,
        suite: [node, 'run-node.cjs'],
        serve: [node, 'serve-node.cjs'],
      },
    ]
  }),
  {
    name: 'Node whose getBuiltinModule throws',
    version: major,
    engine: 'web',
    needs: ['node_modules/node24/bin/node'],
    suite: ['node_modules/node24/bin/node', '--import=./no-builtin-modules.mjs', 'run-node.mjs'],
  },
  {
    name: 'Deno',
    version: exact,
    engine: 'native',
    needs: [DENO],
    suite: [...DENO_RUN, '.build/stdout.js'],
    adapter: 'hookproof/deno',
    serve: [...DENO_RUN, '--allow-net=127.0.0.1', '.build/deno-server.js'],
  },
  {
    name: 'Bun',
    version: exact,
    engine: 'native',
    needs: [BUN],
    suite: [BUN, '.build/stdout.js'],
    adapter: 'hookproof/bun',
    serve: [BUN, '.build/bun-server.js'],
  },
  {
    name: 'workerd',
    version: exact,
    engine: 'web',
    needs: [WORKERD],
    suite: ['node', 'run-workerd.js'],
    adapter: 'hookproof/workers',
    serve: ['node', 'serve-workerd.js'],
  },
  {
    name: 'workerd with nodejs_compat',
    version: exact,
    engine: 'native',
    needs: [WORKERD],
    suite: ['node', 'run-workerd.js', 'nodejs_compat'],
    adapter: 'hookproof/workers',
    serve: ['node', 'serve-workerd.js', 'nodejs_compat'],
  },
  {
    name: 'Chromium page',
    version: orLater('150'),
    engine: 'web',
    needs: CHROMIUM,
    suite: ['node', 'run-chromium.js', 'page'],
  },
  {
    name: 'Chromium service worker',
    version: orLater('150'),
    engine: 'web',
    needs: CHROMIUM,
    suite: ['node', 'run-chromium.js', 'service-worker-page'],
    adapter: 'hookproof/browser',
  },
  {
    name: 'Chromium page on plain http',
    version: orLater('150'),
    engine: 'none',
    needs: CHROMIUM,
    suite: ['node', 'run-chromium.js', 'plain-http'],
  },
  {
    name: 'Firefox page',
    version: orLater('140'),
    engine: 'web',
    needs: FIREFOX,
    suite: ['node', 'run-firefox.js'],
  },
  {
    name: 'WebKit page',
    version: orLater('2.50'),
    engine: 'web',
    needs: WEBKIT,
    suite: ['node', 'run-webkit.js'],
  },
  {
    name: 'QuickJS',
    version: exact,
    engine: 'none',
    needs: ['node_modules/quickjs-emscripten'],
    suite: ['node', 'run-quickjs.js'],
  },
]

/** What a runtime needs and this machine has not. */
export function missing({ needs }: Runtime): string[] {
  return needs
    .filter((path) => !existsSync(resolve(HERE, path)))
    .map((path) => path.replace(/^node_modules/u, 'test/runtimes/node_modules'))
}

/** Browsers come from the distribution and move with it: the page gives a bound, which every run checks. */
function orLater(least: string): (found: string) => string {
  return (found) => {
    const older = found.localeCompare(least, 'en', { numeric: true }) < 0
    if (older) throw new Error(`${found} is older than ${least}`)
    return `${least} or later`
  }
}
