import { CHECKS, PARSED, runCheck } from '../../adapters/contract.ts'

/** A check that takes longer hangs. */
const SECONDS = 20

/**
 * Runs the checks of the adapter contract, one after the other; those that need a socket of their own only where the
 * target has one.
 * @param {import('../../adapters/contract.ts').Target} target
 * @returns {Promise<{ run: number, passed: number, failures: string[] }>}
 */
export async function contractReport(target) {
  const checks = [...CHECKS, PARSED.large].filter(({ raw }) => !raw || target.raw)
  const failures = []
  for (const check of checks) {
    await inTime(runCheck(check, target)).catch((error) => failures.push(`${check.name}: ${error}`))
  }
  return { run: checks.length, passed: checks.length - failures.length, failures }
}

function inTime(promise) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${SECONDS} s`)), SECONDS * 1000)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
