/**
 * Verifiers with one defect each. A suite that lets one of them pass would let the same bug pass
 * in a real library. Each accepts an ordinary delivery: its author has tried it once.
 */
import { isDeepStrictEqual } from 'node:util'
import body from './body.js'
import event from './event.js'
import header from './header.js'
import secret from './secret.js'
import signature from './signature.js'
import time from './time.js'
import { judgeWith } from './verifier.js'

/** The verifier without a defect: `(op, input) => outcome`. */
export const base = judgeWith()

const DEFECTS = [header, time, signature, body, secret, event]
  .flat()
  .sort((one, other) => one.id.localeCompare(other.id))

export const MUTANTS = DEFECTS.map(({ id, title, defect, change }) => ({
  id,
  title,
  defect,
  judge: judgeWith(change),
}))

/** Whether an outcome is one that a case allows. */
export function allows(expect, outcome) {
  const allowed = expect.result === 'acceptable' ? expect.oneOf : [expect]
  return allowed.some((one) => isDeepStrictEqual(one, outcome))
}

/** Whether a case catches a mutant: it crashes, or answers what `expect` does not allow. */
export function kills(mutant, kase) {
  try {
    return !allows(kase.expect, mutant.judge(kase.op, kase.input))
  } catch {
    return true
  }
}
