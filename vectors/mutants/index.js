/**
 * Verifiers with one defect each. A suite that lets one of them pass would let the same bug pass
 * in a real library.
 */
import { timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { judgeWith, KNOWN_TYPES, refuse, steps } from './verifier.js'

/** The verifier without a defect: `(op, input) => outcome`. */
export const base = judgeWith()

const isSpace = (byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)

function trimBytes(bytes) {
  let start = 0
  let end = bytes.length
  while (start < end && isSpace(bytes[start])) start += 1
  while (end > start && isSpace(bytes[end - 1])) end -= 1
  return bytes.subarray(start, end)
}

const startsWith = (bytes, text) => Buffer.from(bytes.subarray(0, text.length)).equals(text)
const withoutPrefix = (bytes, text) =>
  startsWith(bytes, text) ? bytes.subarray(text.length) : bytes

const WHSEC = Buffer.from('whsec_')
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

const timestampsOf = (elements) => elements.filter(({ key }) => key === 't')
const signaturesWhere = (accepts) => (elements) =>
  elements.filter(({ key }) => accepts(key)).map(({ value }) => value)

const camelCase = (name) => name.replace(/_(.)/gu, (_, letter) => letter.toUpperCase())

const DEFECTS = [
  {
    id: 'M01',
    title: 'last t wins',
    defect: 'Keeps the elements in a map, so a second t replaces the first.',
    change: {
      timestampText: (elements) =>
        timestampsOf(elements).at(-1)?.value ?? refuse('timestamp_missing'),
    },
  },
  {
    id: 'M02',
    title: 'first t wins',
    defect: 'Takes the first t it finds and never looks for another.',
    change: {
      timestampText: (elements) =>
        timestampsOf(elements).at(0)?.value ?? refuse('timestamp_missing'),
    },
  },
  {
    id: 'M03',
    title: 'parseInt on t',
    defect: 'Reads t with parseInt and goes on with the number, so signs, zeros and tails vanish.',
    change: {
      time(text) {
        const seconds = Number.parseInt(text, 10)
        if (Number.isNaN(seconds)) refuse('timestamp_malformed')
        return { text: String(seconds), seconds }
      },
    },
  },
  {
    id: 'M04',
    title: '32-bit time',
    defect: 'Keeps the time in a signed 32-bit integer.',
    change: {
      time(text) {
        const time = steps.time(text)
        return { text: time.text, seconds: time.seconds | 0 }
      },
    },
  },
  {
    id: 'M05',
    title: 'zero taken for missing',
    defect: 'Tests the parsed time with !t, so second 0 is no time at all.',
    change: {
      time(text) {
        const time = steps.time(text)
        if (!time.seconds) refuse('timestamp_missing')
        return time
      },
    },
  },
  {
    id: 'M06',
    title: 'future not checked',
    defect: 'Refuses old timestamps only: now - t > tolerance.',
    change: {
      freshness(now, seconds, tolerance) {
        if (Math.floor(now) - seconds > tolerance) refuse('timestamp_too_old')
      },
    },
  },
  {
    id: 'M07',
    title: 'boundary exclusive',
    defect: 'Wants the difference below the tolerance instead of at most equal to it.',
    change: {
      freshness(now, seconds, tolerance) {
        const age = Math.floor(now) - seconds
        if (age >= tolerance) refuse('timestamp_too_old')
        if (-age >= tolerance) refuse('timestamp_too_new')
      },
    },
  },
  {
    id: 'M08',
    title: 'tolerance 0 switches the check off',
    defect: 'Guards the check with if (tolerance).',
    change: {
      freshness(now, seconds, tolerance) {
        if (tolerance) steps.freshness(now, seconds, tolerance)
      },
    },
  },
  {
    id: 'M09',
    title: 'milliseconds',
    defect: 'Compares in milliseconds but leaves the tolerance in seconds.',
    change: {
      freshness(now, seconds, tolerance) {
        steps.freshness(now * 1000, seconds * 1000, tolerance)
      },
    },
  },
  {
    id: 'M10',
    title: 'only the first v1',
    defect: 'Compares with the first v1 and ignores the rest.',
    change: { signatureTexts: (elements) => steps.signatureTexts(elements).slice(0, 1) },
  },
  {
    id: 'M11',
    title: 'only the last v1',
    defect: 'Keeps the elements in a map, so a later v1 replaces an earlier one.',
    change: { signatureTexts: (elements) => steps.signatureTexts(elements).slice(-1) },
  },
  {
    id: 'M12',
    title: 'prefix match on the key',
    defect: 'Takes every element whose key starts with v1, so v10 counts.',
    change: { signatureTexts: signaturesWhere((key) => key.startsWith('v1')) },
  },
  {
    id: 'M13',
    title: 'keys case-folded',
    defect: 'Lower-cases keys, so T and V1 count.',
    change: {
      elements: (value) =>
        steps.elements(value).map((element) => ({ ...element, key: element.key.toLowerCase() })),
    },
  },
  {
    id: 'M14',
    title: 'v0 accepted',
    defect: 'Treats v0 as another name for v1.',
    change: { signatureTexts: signaturesWhere((key) => key === 'v1' || key === 'v0') },
  },
  {
    id: 'M15',
    title: 'hex decoding stops at the first bad character',
    defect: 'Trusts a lenient decoder: 32 good bytes and a tail of anything is a signature.',
    change: {
      signature(text) {
        const bytes = Buffer.from(text, 'hex')
        return bytes.length === 32 ? bytes : undefined
      },
    },
  },
  {
    id: 'M16',
    title: 'compares a prefix only',
    defect: 'Compares as many bytes as were received, so a cut MAC matches.',
    change: {
      signature(text) {
        return /^(?:[0-9a-f]{2}){1,32}$/iu.test(text) ? Buffer.from(text, 'hex') : undefined
      },
      equal: (expected, received) => expected.subarray(0, received.length).equals(received),
    },
  },
  {
    id: 'M17',
    title: 'comparison throws on another length',
    defect: 'Hands a MAC of any length to a comparison that throws unless lengths are equal.',
    change: {
      signature(text) {
        return /^(?:[0-9a-f]{2})+$/iu.test(text) ? Buffer.from(text, 'hex') : undefined
      },
      equal: (expected, received) => timingSafeEqual(expected, received),
    },
  },
  {
    id: 'M18',
    title: 'body decoded before the MAC',
    defect: 'Reads the body as text, so invalid UTF-8 becomes U+FFFD before the MAC.',
    change: { body: (bytes) => Buffer.from(Buffer.from(bytes).toString('utf8'), 'utf8') },
  },
  {
    id: 'M19',
    title: 'body trimmed',
    defect: 'Trims white space at both ends of the body before the MAC.',
    change: { body: trimBytes },
  },
  {
    id: 'M20',
    title: 'JSON serialised again before the MAC',
    defect: 'Lets a framework parse the body and signs the result of serialising it again.',
    change: {
      signedBody(body) {
        try {
          return JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8')))
        } catch {
          return body
        }
      },
    },
  },
  {
    id: 'M21',
    title: 'empty key allowed',
    defect: 'Takes an unset secret as an empty key and computes a MAC anyone can compute.',
    change: {
      keys: (keys) => (keys.length === 0 ? refuse('secret_missing') : keys),
    },
  },
  {
    id: 'M22',
    title: 'secret trimmed',
    defect: 'Trims white space at both ends of the secret.',
    change: { keys: (keys) => steps.keys(keys.map(trimBytes)) },
  },
  {
    id: 'M23',
    title: 'prefix stripped from the secret',
    defect: 'Takes whsec_ for a label and uses only what follows as the key.',
    change: { keys: (keys) => steps.keys(keys.map((key) => withoutPrefix(key, WHSEC))) },
  },
  {
    id: 'M24',
    title: 'parses before verifying',
    defect: 'Decodes and parses the body first and checks the signature afterwards.',
    change: {
      match(parts) {
        steps.json(steps.text(parts.body))
        return steps.match(parts)
      },
    },
  },
  {
    id: 'M25',
    title: 'last header line only',
    defect: 'Keeps headers in a map by name, so a repeated line replaces the one before.',
    change: { joinLines: (lines) => lines.at(-1) ?? '' },
  },
  {
    id: 'M26',
    title: 'an array passes as data',
    defect: 'Tests data with typeof value === "object" and for null only.',
    change: {
      data(value) {
        if (typeof value !== 'object' || value === null) refuse('envelope_field_type')
      },
    },
  },
  {
    id: 'M27',
    title: 'unknown event types refused',
    defect: 'Treats the list of event types as closed.',
    change: {
      eventType(value) {
        steps.eventType(value)
        if (!KNOWN_TYPES.has(value)) refuse('envelope_field_value')
      },
    },
  },
  {
    id: 'M28',
    title: 'keys of data renamed',
    defect: 'Turns invoice_id into invoiceId in data, so both names become one.',
    change: {
      resource(type, data) {
        const renamed = Object.entries(data).map(([name, value]) => [camelCase(name), value])
        const { invoiceId, withdrawalId, id } = Object.fromEntries(renamed)
        return steps.resource(type, { invoice_id: invoiceId, withdrawal_id: withdrawalId, id })
      },
    },
  },
  {
    id: 'M29',
    title: 'byte order mark stripped',
    defect: 'Reads the body through a decoder that drops a leading byte order mark.',
    change: { body: (bytes) => withoutPrefix(bytes, BOM) },
  },
  {
    id: 'M30',
    title: 'no limit on signatures',
    defect: 'Compares as many v1 values as a stranger sends.',
    change: {
      signatureCount(count) {
        if (count === 0) refuse('signature_missing')
      },
    },
  },
]

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
