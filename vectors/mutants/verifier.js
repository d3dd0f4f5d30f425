/**
 * A verifier written from SPEC.md for reading: one small function a step, so that a mutant can
 * replace a single one.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { bytesOf } from '../gen/decode.js'

const MAX_HEADER = 4096
const MAX_SIGNATURES = 16
const MAX_BODY = 1_048_576
const DEFAULT_TOLERANCE = 300

export const KNOWN_TYPES = new Set([
  'invoice.awaiting_payment',
  'invoice.confirming',
  'invoice.underpaid_waiting',
  'invoice.paid',
  'invoice.paid_over',
  'invoice.underpaid',
  'invoice.expired',
  'invoice.cancelled',
  'withdrawal.created',
  'withdrawal.processing',
  'withdrawal.completed',
  'withdrawal.failed',
  'withdrawal.cancelled',
  'payment_channel.deposit.confirming',
  'payment_channel.deposit.reorged',
  'payment_channel.deposit.confirmed',
])

const RESOURCES = [
  { prefix: 'invoice.', kind: 'invoice', field: 'invoice_id' },
  { prefix: 'withdrawal.', kind: 'withdrawal', field: 'withdrawal_id' },
  { prefix: 'payment_channel.deposit.', kind: 'payment_channel_deposit', field: 'id' },
]

class Refusal extends Error {}

/** Ends the line with a reason. Every other exception is a crash. */
export function refuse(reason) {
  throw new Refusal(reason)
}

const isBlank = (text) => /^[\t-\r \u00a0]*$/u.test(text)
const isObject = (json) => typeof json === 'object' && json !== null && !Array.isArray(json)
const stripSpace = (text) => text.replace(/^[ \t]+|[ \t]+$/gu, '')
const hmac = (key, ...parts) =>
  parts.reduce((mac, part) => mac.update(part), createHmac('sha256', key)).digest()

function string(value) {
  if (typeof value !== 'string') refuse('envelope_field_type')
  if (isBlank(value)) refuse('envelope_field_value')
}

const integer = (minimum) => (value) => {
  if (typeof value !== 'number') refuse('envelope_field_type')
  if (!Number.isFinite(value)) refuse('envelope_field_value')
  if (!Number.isInteger(value)) refuse('envelope_field_type')
  if (!Number.isSafeInteger(value) || value < minimum) refuse('envelope_field_value')
}

/** The steps of SPEC.md section 2, in order. */
export const steps = {
  keys(keys) {
    if (keys.length === 0 || keys.some((key) => key.length === 0)) refuse('secret_missing')
    return keys
  },

  tolerance(given) {
    const seconds = given ?? DEFAULT_TOLERANCE
    if (!Number.isSafeInteger(seconds) || seconds < 0) refuse('tolerance_invalid')
    return seconds
  },

  joinLines(lines) {
    return lines.join(', ')
  },

  headerValue(value) {
    if (stripSpace(value) === '') refuse('header_missing')
    if (value.length > MAX_HEADER) refuse('header_too_long')
    return value
  },

  elements(value) {
    return value.split(',').map((piece) => {
      const [key, ...rest] = stripSpace(piece).split('=')
      return { key, value: rest.join('=') }
    })
  },

  timestampText(elements) {
    const found = elements.filter(({ key }) => key === 't')
    if (found.length === 0) refuse('timestamp_missing')
    if (found.length > 1) refuse('timestamp_duplicate')
    return found[0].value
  },

  time(text) {
    if (!/^(?:0|[1-9][0-9]{0,11})$/u.test(text)) refuse('timestamp_malformed')
    return { text, seconds: Number(text) }
  },

  signatureTexts(elements) {
    return elements.filter(({ key }) => key === 'v1').map(({ value }) => value)
  },

  signatureCount(count) {
    if (count === 0) refuse('signature_missing')
    if (count > MAX_SIGNATURES) refuse('signatures_too_many')
  },

  /** Undefined for a malformed one. */
  signature(text) {
    return /^[0-9A-Fa-f]{64}$/u.test(text) ? Buffer.from(text, 'hex') : undefined
  },

  freshness(now, seconds, tolerance) {
    const age = Math.floor(now) - seconds
    if (age > tolerance) refuse('timestamp_too_old')
    if (-age > tolerance) refuse('timestamp_too_new')
  },

  size(body, limit = MAX_BODY) {
    if (body.length > limit) refuse('body_too_large')
  },

  /** The bytes that every later step sees. */
  body(bytes) {
    return bytes
  },

  /** The bytes that go into the MAC. */
  signedBody(body) {
    return body
  },

  equal(expected, received) {
    return timingSafeEqual(expected, received)
  },

  match({ keys, signatures, time, body }) {
    for (const [secret, key] of keys.entries()) {
      const expected = hmac(key, `${time.text}.`, this.signedBody(body))
      const matches = signatures.map((received) => this.equal(expected, received))
      if (matches.includes(true)) return { secret, signature: matches.indexOf(true) }
    }
    return refuse('signature_mismatch')
  },

  text(body) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    } catch {
      return refuse('body_not_utf8')
    }
  },

  json(text) {
    try {
      return JSON.parse(text)
    } catch {
      return refuse('body_not_json')
    }
  },

  eventType: string,

  data(value) {
    if (!isObject(value)) refuse('envelope_field_type')
  },

  envelope(json) {
    if (!isObject(json)) refuse('envelope_not_object')
    const checks = {
      event_id: string,
      event_type: this.eventType,
      version: integer(1),
      occurred_at: integer(0),
      data: this.data,
    }
    for (const [name, check] of Object.entries(checks)) {
      if (!Object.hasOwn(json, name)) refuse('envelope_field_missing')
      check(json[name])
    }
    return json
  },

  resource(type, data) {
    const row = RESOURCES.find(({ prefix }) => type.startsWith(prefix))
    const id = row && Object.hasOwn(data, row.field) ? data[row.field] : undefined
    return typeof id === 'string' && !isBlank(id) ? { kind: row.kind, id } : undefined
  },
}

/** The lines of one header; a byte is one character. */
function linesOf(headers, name) {
  return headers
    .filter(([given]) => given.toLowerCase() === name)
    .map(([, value]) => Buffer.from(bytesOf(value)).toString('latin1'))
}

function warningsOf(headers, eventId) {
  const lines = linesOf(headers, 'x-webhook-id')
  const differs = lines.length > 0 && stripSpace(lines.join(', ')) !== eventId
  return differs ? ['delivery_id_mismatch'] : []
}

function verify(step, input) {
  const keys = step.keys(input.secrets.map(bytesOf))
  const tolerance = step.tolerance(input.tolerance)

  const lines = linesOf(input.headers, 'x-webhook-signature')
  const elements = step.elements(step.headerValue(step.joinLines(lines)))
  const time = step.time(step.timestampText(elements))
  const signatureTexts = step.signatureTexts(elements).filter((text) => text !== '')
  step.signatureCount(signatureTexts.length)
  const signatures = signatureTexts.map(step.signature).filter((bytes) => bytes !== undefined)
  if (signatures.length === 0) refuse('signature_malformed')

  step.freshness(Number(input.now), time.seconds, tolerance)

  const received = input.body === null ? Buffer.alloc(0) : bytesOf(input.body)
  step.size(received, input.limits?.maxBodyBytes)
  const body = step.body(received)
  const matched = step.match({ keys, signatures, time, body })

  const envelope = step.envelope(step.json(step.text(body)))
  const resource = step.resource(envelope.event_type, envelope.data)
  const event = {
    id: envelope.event_id,
    type: envelope.event_type,
    known: KNOWN_TYPES.has(envelope.event_type),
    version: String(envelope.version),
    occurredAt: String(envelope.occurred_at),
    ...(resource && { resource }),
  }
  const warnings = warningsOf(input.headers, envelope.event_id)
  return { timestamp: String(time.seconds), matched, warnings, event }
}

function sign(step, input) {
  const keys = step.keys(input.secrets.map(bytesOf))
  const time = step.time(input.timestamp)
  const body = bytesOf(input.body)
  const macs = keys.map((key) => hmac(key, `${time.text}.`, step.signedBody(body)).toString('hex'))
  return { header: [`t=${time.text}`, ...macs.map((mac) => `v1=${mac}`)].join(',') }
}

function mac(_step, input) {
  return { mac: hmac(bytesOf(input.key), bytesOf(input.message)).toString('hex') }
}

const OPS = { verify, sign, mac }

/**
 * A judge from steps: `(op, input) => outcome`, the outcome in the shape of a case's `expect`.
 * It throws where the steps crash.
 */
export function judgeWith(changed = {}) {
  const step = { ...steps, ...changed }
  return (op, input) => {
    try {
      return { result: 'valid', output: OPS[op](step, input) }
    } catch (error) {
      if (error instanceof Refusal) return { result: 'invalid', reason: error.message }
      throw error
    }
  }
}
