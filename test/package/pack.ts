import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { ROOT } from './package-json.ts'

const folders: string[] = []

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is removed behind the last test of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookproof-'))
  folders.push(folder)
  return folder
}

const cache = temporaryFolder()

/** Packs the package as it would be published, and gives the path of the tarball. */
export function pack(): string {
  const folder = temporaryFolder()
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename }]: [{ filename: string }] = JSON.parse(run('npm', args, ROOT))
  return join(folder, filename)
}

/** What a command prints; throws with it when the command fails. */
export function run(command: string, args: readonly string[], folder: string): string {
  const options: ExecFileSyncOptionsWithStringEncoding = {
    cwd: folder,
    encoding: 'utf8',
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  }
  try {
    return execFileSync(command, args, options)
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}

/**
 * Without what an outer npm says to an inner one, and with a cache that nothing was downloaded
 * into.
 */
function environment(): NodeJS.ProcessEnv {
  const outer = Object.entries(process.env).filter(([name]) => !/^npm_/iu.test(name))
  return {
    ...Object.fromEntries(outer),
    npm_config_cache: cache,
    npm_config_update_notifier: 'false',
  }
}
