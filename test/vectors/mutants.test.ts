import { expect, test } from 'vitest'
import { loadCases } from '../../vectors/gen/decode.js'
import { base, kills, MUTANTS } from '../../vectors/mutants/index.js'

interface Outcome {
  result: 'valid' | 'invalid'
  reason?: string
  output?: unknown
}
type Expectation = Outcome | { result: 'acceptable'; oneOf: Outcome[]; preferred: number }
interface Case {
  id: string
  op: string
  flags: string[]
  input: unknown
  expect: Expectation
}
type Mutant = (typeof MUTANTS)[number]

const cases = loadCases().map((entry) => entry.case as Case)
const killed = new Map(
  MUTANTS.map((mutant) => [mutant, cases.filter((kase) => kills(mutant, kase))]),
)
const named = (mutant: Mutant) => `${mutant.id} ${mutant.title}`
const preferred = (expectation: Expectation) =>
  expectation.result === 'acceptable' ? expectation.oneOf[expectation.preferred] : expectation
const hasWrongVerdict = (mutant: Mutant) => (kase: Case) => {
  const allowed = kase.expect.result === 'acceptable' ? kase.expect.oneOf : [kase.expect]
  try {
    const { result } = mutant.judge(kase.op, kase.input)
    return !allowed.some((outcome) => outcome.result === result)
  } catch {
    return true
  }
}

test('there are cases and thirty mutants with ids in order', () => {
  expect(cases.length).toBeGreaterThan(0)
  expect(MUTANTS.map(({ id }) => id)).toEqual(
    Array.from({ length: 30 }, (_, index) => `M${String(index + 1).padStart(2, '0')}`),
  )
})

test('the verifier without a defect gives the preferred outcome of every case', () => {
  const answers = cases.map(({ id, op, input }) => ({ id, outcome: base(op, input) }))
  const wanted = cases.map((kase) => ({ id: kase.id, outcome: preferred(kase.expect) }))
  expect(answers).toStrictEqual(wanted)
})

test('every mutant is killed by at least two cases', () => {
  const alive = MUTANTS.filter((mutant) => (killed.get(mutant)?.length ?? 0) < 2)
  expect(alive.map(named)).toEqual([])
})

test('a mutant also accepts or refuses wrongly, unless its bug shows in reasons or output only', () => {
  const quiet = ['M24', 'M28']
  const wrong = (mutant: Mutant) => (killed.get(mutant) ?? []).some(hasWrongVerdict(mutant))
  expect(MUTANTS.filter((mutant) => !wrong(mutant)).map(({ id }) => id)).toEqual(quiet)
})

test('every case kills a mutant or is marked Basic', () => {
  const useful = new Set([...killed.values()].flat())
  const idle = cases.filter((kase) => !useful.has(kase) && !kase.flags.includes('Basic'))
  expect(idle.map(({ id }) => id)).toEqual([])
})
