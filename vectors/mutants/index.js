/**
 * Verifiers with one defect each. A suite that lets one of them pass would let the same bug pass
 * in a real library. Each accepts an ordinary delivery: its author has tried it once.
 */
import { isDeepStrictEqual } from 'node:util'
import { github, meta } from './hub.js'
import { paymos } from './paymos.js'
import { standardWebhooks } from './standard-webhooks.js'
import { stripe } from './stripe.js'
import { judgeWith } from './verifier.js'

const SCHEMES = [paymos, stripe, standardWebhooks, github, meta]

/** For each profile the verifier without a defect: `(op, input) => outcome`. */
export const BASES = Object.fromEntries(
  SCHEMES.map(({ profile, steps }) => [profile, judgeWith({}, steps)]),
)

export const MUTANTS = SCHEMES.flatMap(({ profile, prefix, steps, defects }) =>
  defects.map(({ title, defect, change }, index) => ({
    id: `${prefix}${String(index + 1).padStart(2, '0')}`,
    profile,
    title,
    defect,
    judge: judgeWith(change, steps),
  })),
)

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
