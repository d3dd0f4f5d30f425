// From a recipe to the published form: every case complete in itself.
import { createHash, createHmac } from 'node:crypto'
import { raw, T } from './kit.js'

export const SUITE = { schemaVersion: 1, suiteVersion: '1.0.0', since: '1.0.0' }

const LONGEST_READY_HEADER = 8192
const MOST_DEBUG_MACS = 16

/**
 * @param recipe one group of a scheme
 * @param scheme the scheme's recipes, with what a case has that says nothing else
 * @param {{ profiles: Record<string, any>, stages: Record<string, string> }} registries
 */
export function publishGroup(recipe, scheme, registries) {
  const { id, title, op, description } = recipe
  const cases = recipe.cases.map((entry) => publishCase(entry, op, scheme, registries))
  return {
    schemaVersion: SUITE.schemaVersion,
    suiteVersion: SUITE.suiteVersion,
    profile: scheme.profile,
    testOnly: true,
    group: { id, title, op, description },
    numberOfCases: cases.length,
    cases,
  }
}

/** Digest of what a case asks and expects; prose, severity and flags may change without it. */
export function caseDigest({ op, input, expect }) {
  return sha256(JSON.stringify(sorted({ op, input, expect })))
}

/** Digest of what a case asks, with all bytes decoded, so that two spellings of one input are equal. */
export function inputDigest({ op, input }, bytesOf) {
  const { header: _ready, ...rest } = input
  return sha256(JSON.stringify(sorted({ op, input: decoded(rest, bytesOf) })))
}

export function sha256(data) {
  return createHash('sha256').update(data).digest('hex')
}

/** The value a verifier sees after repeated lines of a header are joined; `null` without such a line. */
export function joinLines(headers, name, toBytes) {
  const values = headers
    .filter(([given]) => given.toLowerCase() === name.toLowerCase())
    .map(([, value]) => Buffer.from(toBytes(value)).toString('latin1'))
  return values.length === 0 ? null : values.join(', ')
}

/** Whether the joined value can stand in a case as a ready-made string. */
export function isReadyHeader(joined) {
  return joined === null || (isPrintable(joined) && joined.length <= LONGEST_READY_HEADER)
}

export function isPrintable(text) {
  return /^[\x20-\x7e]*$/.test(text)
}

function publishCase(recipe, op, scheme, { profiles, stages }) {
  const profile = profiles[scheme.profile]
  const entry = op === 'verify' ? completed(recipe, scheme.usual, profile) : recipe
  const isSigned = op === 'verify' && !['config', 'header'].includes(stages[entry.expect.reason])
  return {
    id: `${scheme.profile}/${entry.id}`,
    title: entry.title,
    why: entry.why,
    op,
    since: entry.since ?? SUITE.since,
    severity: entry.severity,
    flags: entry.flags,
    requires: Object.entries(REQUIRES[op](entry, scheme, profile))
      .filter(([, needed]) => needed)
      .map(([name]) => name),
    spec: entry.spec,
    input: INPUTS[op](entry, profile),
    expect: entry.expect,
    debug: isSigned ? debug(entry, scheme) : undefined,
    budgetMs: entry.budgetMs,
    comment: entry.comment,
  }
}

/** A case with everything it leaves to the usual delivery. `header` stands for the signature header alone. */
function completed(entry, usual, { signatureHeader }) {
  const others = usual.headers.filter(([name]) => name !== signatureHeader)
  const own = entry.header === null ? [] : [[signatureHeader, entry.header]]
  const headers = entry.header === undefined ? usual.headers : [...others, ...own]
  return { ...usual, now: T, headers, ...entry }
}

const INPUTS = {
  verify({ headers, body, secrets, now, tolerance, limits }, { signatureHeader, readyHeader }) {
    const joined = joinLines(headers, signatureHeader, raw)
    return {
      headers: headers.map(([name, value]) => [name, describe(value)]),
      header: readyHeader && isReadyHeader(joined) ? joined : undefined,
      body: body === null ? null : describe(body),
      secrets: secrets.map(describe),
      now,
      tolerance,
      limits,
    }
  },
  sign: (entry) => ({
    secrets: entry.secrets.map(describe),
    body: describe(entry.body),
    timestamp: entry.timestamp,
    id: entry.deliveryId,
  }),
  mac: (entry) => ({ key: describe(entry.key), message: describe(entry.message) }),
}

const REQUIRES = {
  verify({ headers, body, secrets, tolerance, limits }, { usual }, profile) {
    const joined = joinLines(headers, profile.signatureHeader, raw)
    const names = headers.map(([name]) => name)
    const usualNames = usual.headers.map(([name]) => name)
    const isPlain = names.every(
      (name, index) => usualNames.includes(name) && names.indexOf(name) === index,
    )
    return {
      tolerance: ![profile.defaultToleranceSeconds, null].includes(tolerance),
      'multi-secret': secrets.length !== 1,
      'secret-bytes': secrets.some(isOddSecret),
      'header-lines': !isPlain || joined?.length > LONGEST_READY_HEADER,
      'header-bytes': headers.some(([, value]) => !isPrintable(raw(value).toString('latin1'))),
      'raw-body': isOddBody(body),
      limits: limits !== undefined,
    }
  },
  sign: ({ secrets, body, timestamp }) => ({
    sign: true,
    'multi-secret': secrets.length !== 1,
    'secret-bytes': secrets.some(isOddSecret),
    'raw-body': isOddBody(body),
    'timestamp-text': timestamp !== undefined && String(Number(timestamp)) !== timestamp,
  }),
  mac: () => ({ mac: true }),
}

/** Bytes as JSON can carry them: readable text where that is safe, else hex. */
function describe(value) {
  const whole = raw(value)
  const facts = { length: whole.length, sha256: sha256(whole) }
  if (value.pieces === undefined) return { ...spell(value), ...facts }
  const parts = value.pieces.map(([unit, times]) =>
    times === 1 ? spell(unit) : { ...spell(unit), times },
  )
  return { parts, ...facts }
}

function spell(value) {
  if (typeof value === 'string' && isPlainText(value)) return { utf8: value }
  return { hex: raw(value).toString('hex') }
}

/** Text that survives every JSON parser and editor: no lone surrogate, BOM or control character. */
export function isPlainText(text) {
  if (!text.isWellFormed() || text.startsWith('\ufeff')) return false
  return [...text].every((character) => character >= ' ' || '\t\n\r'.includes(character))
}

/** A key that an interface for text secrets cannot take, or may rightly refuse. */
function isOddSecret(secret) {
  const text = raw(secret).toString('utf8')
  if (text === '') return false
  return !raw(text).equals(raw(secret)) || /\p{Cc}/u.test(text) || text !== text.trim()
}

/** A body that does not survive the way through a text string. */
function isOddBody(value) {
  if (value === null) return false
  const whole = raw(value)
  const text = whole.toString('utf8')
  return !raw(text).equals(whole) || text.startsWith('\ufeff') || text.includes('\0')
}

/** What a correct verifier authenticates, for cases that get as far as that. */
function debug({ headers, body, secrets }, scheme) {
  const header = (name) => joinLines(headers, name, raw)
  const content = scheme.signedContent(header, body ?? '')
  const mac = (key) => createHmac('sha256', raw(key)).update(content).digest('hex')
  return {
    signedContentSha256: sha256(content),
    macs: secrets.length <= MOST_DEBUG_MACS ? secrets.map(scheme.key).map(mac) : undefined,
  }
}

function decoded(value, bytesOf) {
  if (Array.isArray(value)) return value.map((item) => decoded(item, bytesOf))
  if (value === null || typeof value !== 'object') return value
  if (value.sha256 !== undefined) return Buffer.from(bytesOf(value)).toString('hex')
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, decoded(item, bytesOf)]),
  )
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  return Object.fromEntries(keys.sort().map((key) => [key, sorted(value[key])]))
}
