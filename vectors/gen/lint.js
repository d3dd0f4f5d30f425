// What a schema cannot say about the published files.
import { isDeepStrictEqual } from 'node:util'
import { bytesOf } from './decode.js'
import { inputDigest, isPlainText, isReadyHeader, joinLines, sha256 } from './publish.js'

const LARGEST_FILE = 1024 * 1024
const LONGEST_LITERAL = 32 * 1024
const CHOICE_BUDGET = 0.05
const DECISIONS = Array.from({ length: 21 }, (_, index) => `D${index + 1}`)
const REASONS_WITHOUT_CASE = ['schema_invalid', 'body_incomplete', 'header_malformed']
const ORDER_GROUP = 'ord'
const ORDER_FLAG = 'CheckOrder'
const KILLS_NONE = 'Basic'
const FEWEST_KILLS = 2

/**
 * @returns {string[]} one line for each problem, starting with the case or file it is about
 */
export function lint({ files, registries, mutants, killers }) {
  const cases = files.flatMap(({ document }) => document.cases)
  return [
    ...files.flatMap(lintFile),
    ...cases.flatMap((published) => lintCase(published, registries)),
    ...lintUniqueness(cases, registries),
    ...lintCoverage(cases, registries),
    ...lintBudget(cases),
    ...(mutants === undefined ? [] : lintMutants(cases, mutants, killers)),
  ]
}

function lintFile({ file, text, document }) {
  const { group, cases, numberOfCases } = document
  const problems = []
  if (text.length >= LARGEST_FILE) problems.push('1 MiB or more; describe big inputs by parts')
  if (numberOfCases !== cases.length) problems.push('numberOfCases is not the number of cases')
  if (!file.endsWith(`/${document.profile}/${group.id}.json`))
    problems.push('name is not the group')
  const numbers = cases.map(({ id }) => id.slice(-3))
  if (numbers.some((number, index) => index > 0 && number <= numbers[index - 1])) {
    problems.push('ids are not in the order of creation')
  }
  for (const { id, op } of cases) {
    if (!id.startsWith(`${document.profile}/${group.id}-`))
      problems.push(`${id} is in the wrong file`)
    if (op !== group.op) problems.push(`${id} has another op than its group`)
  }
  return problems.map((problem) => `${file}: ${problem}`)
}

function lintCase(published, registries) {
  return [
    ...lintProse(published),
    ...lintNames(published, registries),
    ...lintExpectation(published, registries),
    ...bytesObjects(published.input).flatMap(lintBytes),
    ...(published.op === 'verify' ? lintVerifyInput(published) : []),
  ].map((problem) => `${published.id}: ${problem}`)
}

function lintProse({ title, why, severity, expect }) {
  const problems = []
  if (!/^\S.{5,88}[^\s.]$/u.test(title)) problems.push('title: 7 to 90 characters, no full stop')
  if (!/^[A-Z`"].{15,218}[.]$/u.test(why))
    problems.push('why: one sentence of 17 to 220 characters')
  if (/[.!?] [A-Z]/.test(why)) problems.push('why: more than one sentence')
  if (severity === 'critical' && expect.result !== 'invalid') {
    problems.push('severity: critical is for a request that must be refused')
  }
  return problems
}

function lintNames(published, registries) {
  const { flags, spec, requires, expect, id } = published
  const unknown = (names, known, kind) =>
    names.filter((name) => !known.includes(name)).map((name) => `unknown ${kind} ${name}`)
  const outcomes = expect.oneOf ?? [expect]
  const reasons = outcomes.flatMap(({ reason }) => reason ?? [])
  const problems = [
    ...unknown(flags, namesOf(registries.flags.flags), 'flag'),
    ...unknown(reasons, Object.keys(registries.stages), 'reason'),
    ...unknown(requires, namesOf(registries.capabilities.capabilities), 'capability'),
    ...unknown(spec, [...DECISIONS, 'RFC2104', 'RFC4231'], 'rule'),
  ]
  const isOrder = id.includes(`/${ORDER_GROUP}-`)
  if (isOrder !== flags.includes(ORDER_FLAG))
    problems.push(`${ORDER_FLAG} marks the ord group, only`)
  return problems
}

function lintExpectation({ op, expect }, registries) {
  if (expect.result !== 'acceptable') return lintOutcome(op, expect)
  const choice = registries.choices.choices.find(({ name }) => name === expect.choice)
  if (choice === undefined) return [`unknown choice ${expect.choice}`]
  const given = expect.oneOf.map((outcome) => outcome.reason ?? outcome.result)
  const problems = expect.oneOf.flatMap((outcome) => lintOutcome(op, outcome))
  if (given[expect.preferred] !== choice.preferred) problems.push('preferred: not as registered')
  if (!given.every((outcome) => choice.outcomes.includes(outcome))) {
    problems.push('oneOf: an outcome the choice does not allow')
  }
  return problems
}

const COMPLETE_OUTPUT = {
  verify: ['event', 'matched', 'timestamp', 'warnings'],
  sign: ['header'],
  mac: ['mac'],
}

function lintOutcome(op, outcome) {
  if (outcome.result === 'invalid') return []
  const members = Object.keys(outcome.output).sort()
  return isDeepStrictEqual(members, COMPLETE_OUTPUT[op]) ? [] : ['output: not complete']
}

function lintBytes(object) {
  const decoded = bytesOf(object)
  const parts = object.parts ?? [object]
  const problems = []
  if (decoded.length !== object.length) problems.push('bytes: length is not true')
  if (sha256(decoded) !== object.sha256) problems.push('bytes: sha256 is not true')
  for (const { utf8, hex } of parts) {
    if (utf8 !== undefined && !isPlainText(utf8)) problems.push('bytes: utf8 must be hex here')
    if ((utf8 ?? hex).length > LONGEST_LITERAL) problems.push('bytes: too long, use parts')
  }
  return problems
}

function lintVerifyInput({ input, requires }) {
  const joined = joinLines(input.headers, bytesOf)
  const problems = []
  if (isReadyHeader(joined) ? input.header !== joined : 'header' in input) {
    problems.push('header: is not the joined lines')
  }
  if (!isReadyHeader(joined) && !requires.some((name) => name.startsWith('header-'))) {
    problems.push('requires: no ready header, but neither header-bytes nor header-lines')
  }
  for (const secret of input.secrets) {
    if (/whsec_[A-Za-z0-9]{32}/.test(secret.utf8)) problems.push('secrets: looks like a real one')
  }
  return problems
}

function lintUniqueness(cases, { retired }) {
  const ids = [...cases, ...retired.retired].map(({ id }) => id)
  const inputs = cases.map((published) => inputDigest(published, bytesOf))
  const titles = cases.map(({ op, title }) => `${op} ${title}`)
  return [
    ...repeats(ids).map((index) => `${ids[index]}: id used twice, or retired`),
    ...repeats(inputs).map(
      (index) => `${cases[index].id}: same input as ${cases[inputs.indexOf(inputs[index])].id}`,
    ),
    ...repeats(titles).map(
      (index) => `${cases[index].id}: same title as ${cases[titles.indexOf(titles[index])].id}`,
    ),
  ]
}

function lintCoverage(cases, { flags, choices, capabilities, stages }) {
  const used = new Set(
    cases.flatMap(({ flags, requires, spec, expect }) => [
      ...flags,
      ...requires,
      ...spec,
      expect.choice,
      ...(expect.oneOf ?? [expect]).map(({ reason }) => reason),
    ]),
  )
  const required = capabilities.capabilities.filter(({ use }) => use === 'required')
  const reasons = Object.keys(stages).filter((code) => !REASONS_WITHOUT_CASE.includes(code))
  const names = [flags.flags, choices.choices, required].flatMap(namesOf)
  return [...names, ...reasons, ...DECISIONS]
    .filter((name) => !used.has(name))
    .map((name) => `${name}: registered, but no case uses it`)
}

function lintBudget(cases) {
  const open = cases.filter(({ expect }) => expect.result === 'acceptable')
  const problems = open
    .filter(({ severity }) => severity === 'critical')
    .map(({ id }) => `${id}: a critical case may not be left open`)
  if (open.length > cases.length * CHOICE_BUDGET) {
    problems.push(`choices: ${open.length} of ${cases.length} cases are left open, more than 5 %`)
  }
  return problems
}

function lintMutants(cases, { MUTANTS, base }, killers) {
  const killed = [...killers.values()].flat()
  return [
    ...MUTANTS.flatMap(({ id }) => {
      const count = killed.filter((name) => name === id).length
      return count < FEWEST_KILLS
        ? [`${id}: killed by ${count} cases, fewer than ${FEWEST_KILLS}`]
        : []
    }),
    ...cases
      .filter(({ id, flags }) => killers.get(id).length === 0 && !flags.includes(KILLS_NONE))
      .map(({ id }) => `${id}: kills no mutant and is not marked ${KILLS_NONE}`),
    ...cases
      .filter(({ id, flags }) => killers.get(id).length > 0 && flags.includes(KILLS_NONE))
      .map(({ id }) => `${id}: kills ${killers.get(id).join(' ')} and is marked ${KILLS_NONE}`),
    ...cases.flatMap((published) => lintBase(published, base)),
  ]
}

function lintBase({ id, op, input, expect }, base) {
  const wanted = expect.oneOf?.[expect.preferred] ?? expect
  const given = base(op, input)
  if (isDeepStrictEqual(given, wanted)) return []
  return [`${id}: the unbroken verifier says ${JSON.stringify(given)}`]
}

function namesOf(entries) {
  return entries.map(({ name }) => name)
}

function repeats(values) {
  return values.flatMap((value, index) => (values.indexOf(value) === index ? [] : [index]))
}

function bytesObjects(value) {
  if (value === null || typeof value !== 'object') return []
  if (value.sha256 !== undefined) return [value]
  return Object.values(value).flatMap(bytesObjects)
}
