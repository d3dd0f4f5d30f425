import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadCases } from '../../vectors/gen/decode.js'
import { allows, BASES, kills, MUTANTS } from '../../vectors/mutants/index.js'
import { judgeWith, refuse, steps } from '../../vectors/mutants/verifier.js'
import { type Profile, profileOf } from './harness.ts'

interface Outcome {
  result: 'valid' | 'invalid'
  reason?: string
  output?: unknown
}
type Expectation = Outcome | { result: 'acceptable'; oneOf: Outcome[]; preferred: number }
interface Case {
  id: string
  title: string
  op: string
  flags: string[]
  input: unknown
  expect: Expectation
}
type Mutant = (typeof MUTANTS)[number]

const cases = loadCases().map((entry) => entry.case as Case)
const casesOf = (profile: string) => cases.filter((kase) => profileOf(kase) === profile)
const killed = new Map(
  MUTANTS.map((mutant) => [mutant, casesOf(mutant.profile).filter((kase) => kills(mutant, kase))]),
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

test('the ids of the mutants are in order for each profile, and the README counts them', () => {
  for (const profile of Object.keys(BASES)) {
    const ids = MUTANTS.filter((mutant) => mutant.profile === profile).map(({ id }) => id)
    const prefix = ids[0]?.replace(/\d+$/u, '')
    expect(ids).toEqual(ids.map((_, index) => prefix + String(index + 1).padStart(2, '0')))
  }
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length)
  const readme = readFileSync(new URL('../../vectors/README.md', import.meta.url), 'utf8')
  expect(readme).toContain(`| ${MUTANTS.length} verifiers with one bug each`)
})

test('every mutant accepts an ordinary delivery, as its author would have seen', () => {
  const fails = MUTANTS.filter((mutant) => {
    const [ordinary] = casesOf(mutant.profile).filter(
      ({ title }) => title === 'The plain header is accepted',
    )
    return kills(mutant, ordinary as Case)
  })
  expect(fails.map(named)).toEqual([])
})

test('the verifiers without a defect give the preferred outcome of every case', () => {
  const answer = ({ id, op, input }: Case) => BASES[profileOf({ id }) as Profile]?.(op, input)
  const answers = cases.map((kase) => ({ id: kase.id, outcome: answer(kase) }))
  const wanted = cases.map((kase) => ({ id: kase.id, outcome: preferred(kase.expect) }))
  expect(answers).toStrictEqual(wanted)
})

test('every mutant is killed by at least two cases', () => {
  const alive = MUTANTS.filter((mutant) => (killed.get(mutant)?.length ?? 0) < 2)
  expect(alive.map(named)).toEqual([])
})

test('a mutant also accepts or refuses wrongly, unless its bug shows in reasons or output only', () => {
  const quiet = [
    ...['M24', 'M28', 'M45', 'M59', 'M60', 'M61', 'M64', 'M67', 'M68'],
    ...['MS21', 'MS33', 'MS34', 'MS36', 'MS37', 'MS43', 'MS45'],
    ...['MW17', 'MW19', 'MW27', 'MW38'],
    ...['MG13', 'MG20', 'MG31'],
    ...['MF13', 'MF20', 'MF28', 'MF30', 'MF31', 'MF32'],
  ]
  const wrong = (mutant: Mutant) => (killed.get(mutant) ?? []).some(hasWrongVerdict(mutant))
  expect(MUTANTS.filter((mutant) => !wrong(mutant)).map(({ id }) => id)).toEqual(quiet)
})

test('every case kills a mutant or is marked Basic, never both', () => {
  const useful = new Set([...killed.values()].flat())
  const wrong = cases.filter((kase) => useful.has(kase) === kase.flags.includes('Basic'))
  expect(wrong.map(({ id }) => id)).toEqual([])
})

/** Verifiers that answer an open question in the other way. */
const upperCase = /^(?=.*[A-F])[0-9A-Fa-f]{64}$/u
const OTHER_CHOICES: Record<string, object> = {
  'HexCase: upper case is malformed': {
    signature: (text: string) => (upperCase.test(text) ? undefined : steps.signature(text)),
  },
  'HexCase: upper case never matches': {
    signature: (text: string) => (upperCase.test(text) ? Buffer.alloc(0) : steps.signature(text)),
    equal: (expected: Buffer, received: Buffer) =>
      received.length > 0 && steps.equal(expected, received),
  },
  'LargeVersion: refused': {
    envelope(json: { version: number }) {
      const envelope = steps.envelope(json)
      if (envelope.version > 2147483647) refuse('envelope_field_value')
      return envelope
    },
  },
  'DeepNesting: refused': {
    json(text: string) {
      if (depth(text) > 60) refuse('body_not_json')
      return steps.json(text)
    },
  },
}

function depth(text: string): number {
  let open = 0
  let deepest = 0
  for (const [bracket] of text.replace(/"(?:[^"\\]|\\.)*"/gsu, '').matchAll(/[[\]{}]/gu)) {
    open += '[{'.includes(bracket) ? 1 : -1
    deepest = Math.max(deepest, open)
  }
  return deepest
}

test.each(Object.entries(OTHER_CHOICES))('a verifier may choose %s', (_name, change) => {
  const judge = judgeWith(change)
  const wrong = casesOf('paymos').filter((kase) => !allows(kase.expect, judge(kase.op, kase.input)))
  expect(wrong.map(({ id }) => id)).toEqual([])
})
