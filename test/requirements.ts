import { spawnSync } from 'node:child_process'

/**
 * Whether a program is there. Without it, a run prints one line and leaves the tests that need it
 * out; under CI it is a failure.
 */
export function has(program: string, versionFlag = '--version'): boolean {
  if (spawnSync(program, [versionFlag]).status === 0) return true
  if (process.env.CI) throw new Error(`${program} is missing; CI needs it`)
  console.log(`${program} is missing: the tests that need it are skipped`)
  return false
}
