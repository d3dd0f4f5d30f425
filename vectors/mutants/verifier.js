/**
 * A verifier written from SPEC.md for reading: one small function a step, so that a mutant can
 * replace a single one. The other schemes replace a few steps as well.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { bytesOf as decode } from '../gen/decode.js'

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

/** The fields of an envelope and the step that checks each, in the order of section 6. */
const FIELDS = {
  event_id: 'string',
  event_type: 'eventType',
  version: 'version',
  occurred_at: 'occurredAt',
  data: 'data',
}

/** Every mutant reads the same bytes, and some are big. */
const decoded = new WeakMap()

function bytesOf(object) {
  if (!decoded.has(object)) decoded.set(object, decode(object))
  return decoded.get(object)
}

class Refusal extends Error {}

/** Ends the line with a reason. Every other exception is a crash. */
export function refuse(reason) {
  throw new Refusal(reason)
}

export const SIGNATURE_HEADER = 'x-webhook-signature'
export const ID_HEADER = 'x-webhook-id'

const isBlank = (text) => /^[\t-\r \u00a0]*$/u.test(text)
export const isObject = (json) => typeof json === 'object' && json !== null && !Array.isArray(json)
export const stripSpace = (text) => text.replace(/^[ \t]+|[ \t]+$/gu, '')

const integer = (minimum) => (value) => {
  if (typeof value !== 'number') refuse('envelope_field_type')
  if (!Number.isFinite(value)) refuse('envelope_field_value')
  if (!Number.isInteger(value)) refuse('envelope_field_type')
  if (!Number.isSafeInteger(value) || value < minimum) refuse('envelope_field_value')
}

/** The steps of SPEC.md section 2, in order. */
export const steps = {
  hmac(key, ...parts) {
    return parts.reduce((mac, part) => mac.update(part), createHmac('sha256', key)).digest()
  },

  keys(keys) {
    if (keys.length === 0 || keys.some((key) => key.length === 0)) refuse('secret_missing')
    return keys
  },

  tolerance(given) {
    const seconds = given ?? DEFAULT_TOLERANCE
    if (!Number.isSafeInteger(seconds) || seconds < 0) refuse('tolerance_invalid')
    return seconds
  },

  isNamed(given, name) {
    return given.toLowerCase() === name
  },

  /** A byte is one character. */
  lineText(bytes) {
    return Buffer.from(bytes).toString('latin1')
  },

  lines(headers, name) {
    return headers
      .filter(([given]) => this.isNamed(given, name))
      .map(([, value]) => this.lineText(bytesOf(value)))
  },

  joinLines(lines) {
    return lines.join(', ')
  },

  headerValue(value) {
    if (stripSpace(value) === '') refuse('header_missing')
    this.headerLength(value.length)
    return value
  },

  headerLength(length) {
    if (length > MAX_HEADER) refuse('header_too_long')
  },

  trimPiece: stripSpace,

  elements(value) {
    return value.split(',').map((piece) => {
      const [key, ...rest] = this.trimPiece(piece).split('=')
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

  signatures(texts) {
    const wellFormed = texts
      .map((text) => this.signature(text))
      .filter((bytes) => bytes !== undefined)
    if (wellFormed.length === 0) refuse('signature_malformed')
    return wellFormed
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

  /** The signed bytes before the body. */
  head({ time }) {
    return `${time.text}.`
  },

  match(parts) {
    for (const [secret, key] of parts.keys.entries()) {
      const expected = this.hmac(key, this.head(parts), this.signedBody(parts.body))
      const matches = parts.signatures.map((received) => this.equal(expected, received))
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

  isBlank,

  string(value) {
    if (typeof value !== 'string') refuse('envelope_field_type')
    if (this.isBlank(value)) refuse('envelope_field_value')
  },

  eventType(value) {
    this.string(value)
  },

  version: integer(1),
  occurredAt: integer(0),

  data(value) {
    if (!isObject(value)) refuse('envelope_field_type')
  },

  fields: FIELDS,

  envelope(json) {
    if (!isObject(json)) refuse('envelope_not_object')
    for (const [field, check] of Object.entries(this.fields)) {
      if (!Object.hasOwn(json, field)) refuse('envelope_field_missing')
      this[check](json[field])
    }
    return json
  },

  known(type) {
    return KNOWN_TYPES.has(type)
  },

  resource(type, data) {
    const row = RESOURCES.find(({ prefix }) => type.startsWith(prefix))
    const id = row && Object.hasOwn(data, row.field) ? data[row.field] : undefined
    return typeof id === 'string' && !this.isBlank(id) ? { kind: row.kind, id } : undefined
  },

  warnings(headers, eventId) {
    const lines = this.lines(headers, ID_HEADER)
    const differs = lines.length > 0 && stripSpace(lines.join(', ')) !== eventId
    return differs ? ['delivery_id_mismatch'] : []
  },

  event(envelope) {
    const resource = this.resource(envelope.event_type, envelope.data)
    return {
      id: envelope.event_id,
      type: envelope.event_type,
      known: this.known(envelope.event_type),
      version: String(envelope.version),
      occurredAt: String(envelope.occurred_at),
      ...(resource && { resource }),
    }
  },

  signatureHeader: SIGNATURE_HEADER,

  /** Section 2, steps 3 to 10. */
  parse(headers) {
    const value = this.headerValue(this.joinLines(this.lines(headers, this.signatureHeader)))
    const elements = this.elements(value)
    const time = this.time(this.timestampText(elements))
    const texts = this.signatureTexts(elements).filter((text) => text !== '')
    this.signatureCount(texts.length)
    return { time, signatures: this.signatures(texts) }
  },

  /** Section 2, steps 3 to 14. */
  authenticate({ headers, keys, now, tolerance, maxBodyBytes, ...delivery }) {
    const parts = this.parse(headers)
    if (parts.time) this.freshness(now, parts.time.seconds, tolerance)
    this.size(delivery.body, maxBodyBytes)
    const body = this.body(delivery.body)
    return { ...parts, body, matched: this.match({ ...parts, keys, body }) }
  },

  verify(input) {
    const { headers } = input
    const delivery = {
      headers,
      keys: this.keys(input.secrets.map(bytesOf)),
      tolerance: this.tolerance(input.tolerance),
      now: Number(input.now),
      body: input.body === null ? Buffer.alloc(0) : bytesOf(input.body),
      maxBodyBytes: input.limits?.maxBodyBytes,
    }
    const { time, matched, body, ...parts } = this.authenticate(delivery)
    const envelope = this.envelope(this.json(this.text(body)), delivery)
    const warnings = this.warnings(headers, envelope.event_id)
    const event = this.event(envelope, headers, parts)
    return { ...(time && { timestamp: String(time.seconds) }), matched, warnings, event }
  },

  sign(input) {
    const keys = this.keys(input.secrets.map(bytesOf))
    const draft = this.draft(input)
    const body = this.signedBody(bytesOf(input.body))
    return this.format(
      draft,
      keys.map((key) => this.hmac(key, this.head(draft), body)),
    )
  },

  /** What a sender puts before the body, judged as a receiver will. */
  draft({ timestamp }) {
    return { time: this.time(timestamp) }
  },

  format({ time }, macs) {
    const signatures = macs.map((mac) => `v1=${mac.toString('hex')}`)
    return { header: [`t=${time.text}`, ...signatures].join(',') }
  },

  mac({ key, message }) {
    return { mac: this.hmac(bytesOf(key), bytesOf(message)).toString('hex') }
  },
}

/**
 * A judge from steps: `(op, input) => outcome`, the outcome in the shape of a case's `expect`.
 * It throws where the steps crash.
 */
export function judgeWith(changed = {}, scheme = steps) {
  const step = { ...scheme, ...changed }
  return (op, input) => {
    try {
      return { result: 'valid', output: step[op](input) }
    } catch (error) {
      if (error instanceof Refusal) return { result: 'invalid', reason: error.message }
      throw error
    }
  }
}
