import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { leftOut } from '../requirements.ts'
import { freePort } from '../runtimes/host/free-port.js'

// A PostgreSQL server of its own for whoever asks, on loopback, gone with its folder when it ends.

const run = promisify(execFile)

/** Where Debian keeps the programs of the server, the newest version last. */
const VERSIONS = '/usr/lib/postgresql'
const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => +a - +b) : []
const programs = join(VERSIONS, versions.at(-1) ?? 'none', 'bin')

/** Whether tests on PostgreSQL run here; under CI they must. */
export function hasPostgres(): boolean {
  const missing = [join(programs, 'initdb')].filter((path) => !existsSync(path))
  return !leftOut(missing.length === 0 ? [] : ['postgresql'])
}

export interface PostgresServer {
  readonly url: string
  readonly folder: string
  /** Ends it at once, as a crash would, and starts it again on the same port. */
  readonly restart: () => Promise<void>
  readonly start: () => Promise<void>
  /** Runs a program of the server's version, such as `psql`, and gives what it prints. */
  readonly run: (name: 'psql' | 'pg_dump', ...args: readonly string[]) => Promise<string>
  readonly stop: (mode?: 'fast' | 'immediate') => Promise<void>
  /** A database that is new and empty; gives its URL. */
  readonly createDatabase: () => Promise<string>
  /** Stops it and removes its folder. */
  readonly end: () => Promise<void>
}

/** `settings` are options of `postgres`, such as `-c fsync=on`. */
export async function startPostgres(...settings: readonly string[]): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hookproof-postgres-'))
  const asRoot = process.getuid?.() === 0
  if (asRoot) {
    const ids = await run('id', ['-u', 'postgres']).then(({ stdout }) => Number(stdout))
    chownSync(folder, ids, ids)
  }
  // The server does not run as root.
  const program = (name: string, args: readonly string[]) =>
    asRoot
      ? run('runuser', ['-u', 'postgres', '--', join(programs, name), ...args])
      : run(join(programs, name), [...args])
  const data = join(folder, 'data')
  await program('initdb', ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync'])
  const port = await freePort()
  const options = `-h 127.0.0.1 -p ${port} -k ${folder} ${settings.join(' ')}`
  const start = async () => {
    await program('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start'])
  }
  const stop = async (mode = 'immediate') => {
    await program('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop'])
  }
  await start()
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  const client: PostgresServer['run'] = async (name, ...args) =>
    (await run(join(programs, name), [...args])).stdout
  let databases = 0
  return {
    url: urlOf('postgres'),
    folder,
    start,
    stop,
    run: client,
    async createDatabase() {
      const name = `test_${databases++}`
      await client('psql', urlOf('postgres'), '-qc', `create database ${name}`)
      return urlOf(name)
    },
    async restart() {
      await stop()
      await start()
    },
    async end() {
      await stop().catch(() => {})
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
