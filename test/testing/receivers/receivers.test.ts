import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '../../../dist/testing/index.js'
import { hasPostgres, type PostgresServer, startPostgres } from '../../inbox/postgres-server.ts'
import { has } from '../../requirements.ts'
import { freePort } from '../../runtimes/host/free-port.js'

// Receivers in other languages, with real databases, as child processes of the command.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const HERE = fileURLToPath(new URL('./', import.meta.url))
const SECRET = 'whsec_test_only_for_receivers'
/** Of a busy machine with two cores. */
const LIMIT = { timeout: 300_000 }

interface Faulty {
  readonly name: string
  readonly caughtBy: string
  /** What the report must say it comes from. */
  readonly cause: string
}

interface Language {
  readonly name: 'php' | 'python' | 'go'
  readonly needs: () => boolean
  readonly start: (name: string, port: number) => string
  /** What the command is told beside it. */
  readonly options: (database: string) => readonly string[]
  /** Whether the right one works behind its answer. */
  readonly worksLater?: boolean
  readonly faulty: readonly Faulty[]
}

const GATE = ['--gate', 'sh ../gate.sh']
const PSQL = 'psql "$SHOP_DB" -qAtc'

const LANGUAGES: readonly Language[] = [
  {
    name: 'php',
    needs: () => has('php') && hasExtension('pdo_sqlite'),
    start: (name, port) =>
      `PHP_CLI_SERVER_WORKERS=4 php -d display_errors=0 -S 127.0.0.1:${port} ${name}.php`,
    options: () => [
      ...['--observe', 'php tables.php observe'],
      ...['--book-by-hand', 'php tables.php book', ...GATE],
    ],
    faulty: [
      { name: 'two-steps', caughtBy: 'P3', cause: 'works, and stores the id only afterwards' },
      { name: 'parsed-body', caughtBy: 'raw-bytes', cause: 'parsed and written again' },
    ],
  },
  {
    name: 'python',
    needs: () => has('python3'),
    start: (name) => `python3 ${name}.py`,
    options: () => ['--observe', 'observe.mjs'],
    worksLater: true,
    faulty: [
      { name: 'by_header', caughtBy: 'captured-id', cause: 'known by its id header' },
      { name: 'first_event', caughtBy: 'before-booking', cause: 'is taken for a repeat' },
    ],
  },
  {
    name: 'go',
    needs: () => has('go', 'version') && hasPostgres(),
    start: (name) => `build/${name}`,
    options: () => [
      '--observe',
      `${PSQL} "select (select count(*) from parcel where invoice = '{id}'), (select status from invoice where id = '{id}')"`,
      '--book-by-hand',
      `${PSQL} "insert into invoice (id, booked) values ('{id}', true); insert into parcel values ('{id}')"`,
      ...GATE,
    ],
    faulty: [
      {
        name: 'work-in-memory',
        caughtBy: 'work-fails-once',
        cause: 'answers 2xx before the work is done',
      },
      { name: 'last-word', caughtBy: 'after-booking', cause: 'comes late overwrites' },
    ],
  },
]

const folder = mkdtempSync(join(tmpdir(), 'hookproof-receivers-'))
let postgres: PostgresServer | undefined
afterAll(async () => {
  await postgres?.end()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(LANGUAGES)('receivers in $name', (language) => {
  const isThere = language.needs()
  beforeAll(async () => {
    if (!isThere || language.name !== 'go') return
    execFileSync('go', ['build', '-o', 'build/', './...'], { cwd: join(HERE, 'go') })
    postgres = await startPostgres('-c fsync=off')
  }, 300_000)

  test.runIf(isThere)('the right one shows everything', LIMIT, async () => {
    const settle = language.worksLater ? [] : ['--settle', 'true']
    const { status, stderr, text, report } = await prove(language, 'right', settle)
    expect(text).toMatch(/^All 28 shown\.$/mu)
    expect({ status, stderr, ok: report.ok }).toEqual({ status: 0, stderr: '', ok: true })
  })

  for (const { name, caughtBy, cause } of language.faulty) {
    test.runIf(isThere)(`${name} fails at ${caughtBy}`, LIMIT, async () => {
      const only = ['P1', 'P2', caughtBy].flatMap((id) => ['--only', id])
      const { status, text, report } = await prove(language, name, only)
      expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual([
        ['P1', 'shown'],
        ['P2', 'shown'],
        [caughtBy, 'failed'],
      ])
      expect(report.results[2]?.failure?.cause).toContain(cause)
      expect(text).toMatch(/^ +replay {2}npx hookproof prove http:/mu)
      expect(text).toContain(` --only ${caughtBy} --replay ${report.seed}\n`)
      expect(status).toBe(1)
    })
  }
})

interface Proven {
  readonly status: number
  readonly text: string
  readonly stderr: string
  readonly report: Report
}

let shops = 0

/** Runs the command on a shop of its own, and checks that nothing it started is left. */
async function prove(
  { name: language, start, options }: Language,
  name: string,
  chosen: readonly string[],
): Promise<Proven> {
  const port = await freePort()
  const shop = `shop${++shops}`
  const gate = mkdtempSync(join(folder, 'gate-'))
  const database = language === 'go' ? await newDatabase(shop) : join(folder, `${shop}.db`)
  const file = join(folder, `${shop}.json`)
  const args = [
    ...['prove', `http://127.0.0.1:${port}/webhooks`, '--start', start(name, port)],
    ...[...options(database), ...chosen, '--json', file],
  ]
  const child = spawn(process.execPath, [join(ROOT, 'dist/cli.js'), ...args], {
    cwd: join(HERE, language),
    env: {
      ...process.env,
      HOOKPROOF_SECRET: SECRET,
      SHOP_SECRET: SECRET,
      SHOP_DB: database,
      SHOP_GATE: gate,
      SHOP_PORT: String(port),
    },
  })
  let [text, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [status] = await once(child, 'close')
  // Workers of a server that was started are gone with it.
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  expect(text + stderr).not.toContain(SECRET)
  if (status === 2) throw new Error(stderr)
  return { status, text, stderr, report: JSON.parse(readFileSync(file, 'utf8')) }
}

async function newDatabase(name: string): Promise<string> {
  const { url } = postgres as PostgresServer
  execFileSync('psql', [url, '-qc', `create database ${name}`])
  return `${url.replace(/\/postgres$/u, `/${name}`)}?sslmode=disable`
}

function hasExtension(name: string): boolean {
  const there = execFileSync('php', ['-m'], { encoding: 'utf8' }).split('\n').includes(name)
  if (there) return true
  if (process.env.CI) throw new Error(`the PHP extension ${name} is missing; CI needs it`)
  console.log(`the PHP extension ${name} is missing: the receivers in PHP are not run`)
  return false
}
