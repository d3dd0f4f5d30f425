// From a recipe to the published form: every case complete in itself.
import { createHash, createHmac } from 'node:crypto'
import { A, bytes, P, raw, signed, T } from './kit.js'

export const SUITE = { schemaVersion: 1, suiteVersion: '1.0.0', profile: 'paymos', since: '1.0.0' }

const SIGNATURE_HEADER = 'x-webhook-signature'
const LONGEST_READY_HEADER = 8192
const MOST_DEBUG_MACS = 16

/** @param {Record<string, string>} stages the stage of each reason */
export function publishGroup(recipe, stages) {
  const { id, title, op, description } = recipe
  const cases = recipe.cases.map((entry) => publishCase(entry, op, stages))
  return {
    schemaVersion: SUITE.schemaVersion,
    suiteVersion: SUITE.suiteVersion,
    profile: SUITE.profile,
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

/** The value a verifier sees after repeated lines are joined; `null` without such a line. */
export function joinLines(headers, toBytes) {
  const values = headers
    .filter(([name]) => name.toLowerCase() === SIGNATURE_HEADER)
    .map(([, value]) => Buffer.from(toBytes(value)).toString('latin1'))
  return values.length === 0 ? null : values.join(', ')
}

/** Whether the joined value can stand in a case as a ready-made string. */
export function isReadyHeader(joined) {
  return joined === null || (isPrintable(joined) && joined.length <= LONGEST_READY_HEADER)
}

function publishCase(entry, op, stages) {
  const input = INPUTS[op](entry)
  const content = op === 'verify' ? signedContent(entry, stages) : undefined
  return {
    id: `${SUITE.profile}/${entry.id}`,
    title: entry.title,
    why: entry.why,
    op,
    since: entry.since ?? SUITE.since,
    severity: entry.severity,
    flags: entry.flags,
    requires: REQUIRES[op](entry),
    spec: entry.spec,
    input,
    expect: entry.expect,
    debug: content && debug(content, entry.secrets ?? [A]),
    budgetMs: entry.budgetMs,
    comment: entry.comment,
  }
}

const INPUTS = {
  verify(entry) {
    const headers = headerLines(entry)
    const joined = joinLines(headers, raw)
    return {
      headers: headers.map(([name, value]) => [name, describe(value)]),
      header: isReadyHeader(joined) ? joined : undefined,
      body: body(entry) === null ? null : describe(body(entry)),
      secrets: (entry.secrets ?? [A]).map(describe),
      now: entry.now ?? T,
      tolerance: tolerance(entry),
      limits: entry.limits,
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
  verify(entry) {
    const headers = headerLines(entry)
    const joined = joinLines(headers, raw)
    const plain =
      headers.length === 0 || (headers.length === 1 && headers[0][0] === 'X-Webhook-Signature')
    const needs = {
      tolerance: ![300, null].includes(tolerance(entry)),
      'multi-secret': (entry.secrets ?? [A]).length !== 1,
      'secret-bytes': (entry.secrets ?? [A]).some(isOddSecret),
      'header-lines': !plain || joined?.length > LONGEST_READY_HEADER,
      'header-bytes': headers.some(([, value]) => !isPrintable(raw(value).toString('latin1'))),
      'raw-body': isOddBody(body(entry)),
      limits: entry.limits !== undefined,
    }
    return Object.keys(needs).filter((name) => needs[name])
  },
  sign(entry) {
    const needs = {
      sign: true,
      'multi-secret': entry.secrets.length !== 1,
      'secret-bytes': entry.secrets.some(isOddSecret),
      'raw-body': isOddBody(entry.body),
      'timestamp-text': String(Number(entry.timestamp)) !== entry.timestamp,
    }
    return Object.keys(needs).filter((name) => needs[name])
  },
  mac: () => ['mac'],
}

function headerLines(entry) {
  if (entry.headers !== undefined) return entry.headers
  return entry.header === null ? [] : [['X-Webhook-Signature', entry.header ?? signed(P).header]]
}

function body(entry) {
  return entry.body === undefined ? P : entry.body
}

function tolerance(entry) {
  return entry.tolerance === undefined ? 300 : entry.tolerance
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

function isPrintable(text) {
  return /^[\x20-\x7e]*$/.test(text)
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
function signedContent(entry, stages) {
  const stage = stages[entry.expect.reason]
  if (stage === 'config' || stage === 'header') return undefined
  const t = /(?:^|,)[ \t]*t=([0-9]+)/.exec(joinLines(headerLines(entry), raw))[1]
  return bytes(t, '.', body(entry) ?? '')
}

function debug(content, secrets) {
  const macs = secrets.map((key) => createHmac('sha256', raw(key)).update(content).digest('hex'))
  return {
    signedContentSha256: sha256(content),
    macs: secrets.length <= MOST_DEBUG_MACS ? macs : undefined,
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
