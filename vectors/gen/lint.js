// What a schema cannot say about the published files.
import { isDeepStrictEqual } from 'node:util'
import { bytesOf } from './decode.js'
import {
  inputDigest,
  isPlainText,
  isPrintable,
  isReadyHeader,
  joinLines,
  sha256,
} from './publish.js'

const LARGEST_FILE = 1024 * 1024
const LONGEST_LITERAL = 32 * 1024
const CHOICE_BUDGET = 0.05
const STANDARDS = ['RFC2104', 'RFC4231']
const REASONS_WITHOUT_CASE = ['schema_invalid', 'body_incomplete']
/** Published by others as an example, so worth nothing as a secret. */
const PUBLISHED_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
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
    ...(published.op === 'verify' ? lintVerifyInput(published, registries) : []),
    ...(published.input.secrets ?? []).flatMap(lintSecret),
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
    ...unknown(spec, [...registries.rules[profileOf(published)], ...STANDARDS], 'rule'),
  ]
  const isOrder = id.includes(`/${ORDER_GROUP}-`)
  if (isOrder !== flags.includes(ORDER_FLAG))
    problems.push(`${ORDER_FLAG} marks the ord group, only`)
  return problems
}

function lintExpectation(published, registries) {
  const { expect } = published
  if (expect.result !== 'acceptable') return lintOutcome(published, expect, registries)
  const choice = registries.choices.choices.find(({ name }) => name === expect.choice)
  if (choice === undefined) return [`unknown choice ${expect.choice}`]
  const given = expect.oneOf.map((outcome) => outcome.reason ?? outcome.result)
  const problems = expect.oneOf.flatMap((outcome) => lintOutcome(published, outcome, registries))
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

function lintOutcome(published, { result, output }, { profiles }) {
  if (result === 'invalid') return []
  const profile = profiles[profileOf(published)]
  const wanted = COMPLETE_OUTPUT[published.op].filter(
    (name) => name !== 'timestamp' || profile.defaultToleranceSeconds !== null,
  )
  const problems = isDeepStrictEqual(Object.keys(output).sort(), wanted)
    ? []
    : ['output: not complete']
  if (output.event && profile.facts) problems.push(...lintFacts(output.event, profile))
  return problems
}

/** Whether an event has no member but those that the profile knows a source for. */
function lintFacts({ idSigned, ...facts }, { facts: sources, summary }) {
  const problems = Object.keys(facts)
    .filter((name) => !(name in sources))
    .map((name) => `event: the profile names no source for ${name}`)
  if (idSigned !== summary.idSigned) problems.push('event: idSigned is not the profile\u2019s')
  return problems
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

function lintVerifyInput(published, { profiles }) {
  const { input, requires } = published
  const { signatureHeader, readyHeader } = profiles[profileOf(published)]
  const joined = joinLines(input.headers, signatureHeader, bytesOf)
  const isReady = readyHeader && isReadyHeader(joined)
  const problems = []
  if (isReady ? input.header !== joined : 'header' in input) {
    problems.push('header: is not the joined lines')
  }
  if (!isReadyHeader(joined) && !requires.some((name) => name.startsWith('header-'))) {
    problems.push('requires: no ready header, but neither header-bytes nor header-lines')
  }
  const texts = input.headers.map(([, value]) => Buffer.from(bytesOf(value)).toString('latin1'))
  if (!texts.every(isPrintable) && !requires.includes('header-bytes')) {
    problems.push('requires: header-bytes is missing')
  }
  return problems
}

function lintSecret({ utf8 = '' }) {
  const [, random] = /^whsec_([A-Za-z0-9+/]{32,}=*)/.exec(utf8) ?? []
  if (random === undefined || utf8 === PUBLISHED_SECRET) return []
  const isMade =
    random.startsWith('test') ||
    Buffer.from(random, 'base64').toString('latin1').startsWith('test_only')
  return isMade ? [] : ['secrets: looks like a real one']
}

function lintUniqueness(cases, { retired }) {
  const ids = [...cases, ...retired.retired].map(({ id }) => id)
  const own = (published, value) => `${profileOf(published)} ${value}`
  const inputs = cases.map((published) => own(published, inputDigest(published, bytesOf)))
  const titles = cases.map((published) => own(published, `${published.op} ${published.title}`))
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

function lintCoverage(cases, { flags, choices, capabilities, rules, stages }) {
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
  return [...names, ...reasons, ...Object.values(rules).flat()]
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

function lintMutants(cases, { MUTANTS, BASES }, killers) {
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
    ...cases.flatMap((published) => lintBase(published, BASES[profileOf(published)])),
  ]
}

function lintBase({ id, op, input, expect }, base) {
  const wanted = expect.oneOf?.[expect.preferred] ?? expect
  const given = base(op, input)
  if (isDeepStrictEqual(given, wanted)) return []
  return [`${id}: the unbroken verifier says ${JSON.stringify(given)}`]
}

/** The profile is the first part of every id. */
function profileOf({ id }) {
  return id.split('/')[0]
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
