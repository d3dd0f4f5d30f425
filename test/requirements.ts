import { spawnSync } from 'node:child_process'

/**
 * Whether a program is there. Without it, a run prints one line and leaves the tests that need it
 * out; under CI it is a failure.
 */
export function has(program: string, versionFlag = '--version'): boolean {
  if (spawnSync(program, [versionFlag]).status === 0) return true
  if (process.env.CI) throw new Error(`${program} is missing; CI needs it`)
  tell(program)
  return false
}

/**
 * Whether tests are left out because files are missing, with one line for each. Not under CI: there
 * the tests run, and fail for what they lack.
 */
export function leftOut(missing: readonly string[]): boolean {
  if (missing.length === 0 || process.env.CI) return false
  for (const path of missing) tell(path)
  return true
}

const told = new Set<string>()

function tell(what: string): void {
  if (!told.has(what)) console.log(`${what} is missing: the tests that need it are skipped`)
  told.add(what)
}
