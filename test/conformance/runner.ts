import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import type { Report } from '../../dist/conformance/index.js'

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url))
export const CLI: string = join(ROOT, 'dist/cli.js')

/** A folder that is removed behind the last test of the file. */
export const folder: string = mkdtempSync(join(tmpdir(), 'hookproof-conformance-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

export interface Finished {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** `hookproof conformance …`, run to its end. */
export function conformance(args: readonly string[], cwd: string = ROOT): Promise<Finished> {
  const options = { cwd, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, 'conformance', ...args], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ status, stdout, stderr })
    })
  })
}

let reports = 0

/** A graded run, with its report where one was written. */
export async function graded(
  options: readonly string[],
  command: readonly string[],
): Promise<Finished & { readonly report: Report | undefined }> {
  reports += 1
  const file = join(folder, `report-${reports}.json`)
  const finished = await conformance(['run', '--json', file, ...options, '--', ...command])
  let report: Report | undefined
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    report = undefined
  }
  return { ...finished, report }
}

/** The statuses of a report by id, without those that passed. */
export function notPassed(report: Report | undefined): Record<string, string> {
  const cases = (report?.cases ?? []).filter(({ status }) => status !== 'pass')
  return Object.fromEntries(cases.map(({ id, status }) => [id, status]))
}

/** The last line of an output. */
export function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1) ?? ''
}
