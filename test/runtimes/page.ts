import type { Runtime } from './matrix.ts'

/** What the suite says of one runtime. */
export interface Report {
  readonly version: string
  readonly engine: string
  readonly syncEngine: string
  readonly vectors: { readonly run: number; readonly passed: number; readonly ways: number }
  readonly failures: readonly string[]
  /** Of a page whose service worker is the receiver. */
  readonly contract?: ContractReport
}

export interface ContractReport {
  readonly run: number
  readonly passed: number
  readonly failures: readonly string[]
}

const HEAD = [
  'runtime',
  'version',
  '`hookproof` uses',
  '`hookproof/sync` uses',
  'vectors',
  'adapter',
  'its contract',
  'command',
]

interface Ran {
  readonly reports: ReadonlyMap<Runtime, Report>
  readonly contracts: ReadonlyMap<Runtime, ContractReport>
  /** How many vectors there are. */
  readonly total: number
}

/** The text of docs/runtimes.md. */
export function pageOf({ reports, contracts, total }: Ran): string {
  const rows = [...reports].map(([runtime, report]) => [
    runtime.name,
    runtime.version(report.version),
    report.engine,
    report.syncEngine,
    ratio(report.vectors),
    runtime.adapter ? `\`${runtime.adapter}\`` : '',
    ratio(contracts.get(runtime)),
    `\`${runtime.suite.join(' ').replaceAll(/node_modules\/\S*\//gu, '')}\``,
  ])
  const [first] = reports.values()
  const left = total - (first?.vectors.run ?? 0)
  return `# Runtimes

<!-- Written by npm run runtimes; a test compares it with what ran. -->

One suite runs every test vector on the built package in each of these, in every way the runtime has: both faces, each engine, the body as bytes, as a
stream and in a web \`Request\`. The same number passes everywhere. Where the runtime can serve, the contract of adapters is checked over a socket.

${table([HEAD, ...rows])}

* \`native\` is \`node:crypto\`, \`web\` is WebCrypto, \`noble\` is the bundled HMAC in plain JavaScript. With \`none\`, \`hookproof\` throws \`engine_unavailable\` when a
  verifier is created, and names \`hookproof/sync\`.
* ${left} of the ${total} vectors ask a signer to sign a time that is malformed text. \`createSigner\` takes a number, so nobody can ask that of it.
* A page on plain http is one whose origin is neither https nor localhost. QuickJS has nothing but the language: the suite lends it \`TextEncoder\` and
  \`TextDecoder\`.
* Node answers over HTTP/1.1 and HTTP/2; every check that breaks off, dawdles or breaks the rules of HTTP/1.1 needs a socket of its own, which HTTP/2 and the
  page that a service worker serves do not give.
* Deno needs no permission to verify; its server needs \`--allow-net\`.

## Run it

\`\`\`sh
apt-get install --no-install-recommends chromium firefox-esr webkit2gtk-driver xvfb xauth
npm ci --ignore-scripts --prefix test/runtimes
npm run runtimes
\`\`\`

\`npm run runtimes -- -t 'Deno'\` runs the rows with that name. The commands of the table run in \`test/runtimes\`, once \`npm run build\` and \`node build.js\` have.
`
}

function ratio(ran?: { readonly passed: number; readonly run: number }): string {
  return ran ? `${ran.passed} of ${ran.run}` : ''
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
