import { BODY_DEFECTS, TOLERANCE_DEFECT } from './common.js'
import { facts, moment } from './facts.js'
import { defects } from './paymos.js'
import { refuse, steps } from './verifier.js'

const PREFIX = /^whsec_/u

const standardSteps = {
  ...steps,
  signatureHeader: 'webhook-signature',
  fields: {},

  keys(secrets) {
    return steps.keys(secrets).map((secret) => this.key(secret))
  },

  key(secret) {
    const key = this.base64(Buffer.from(secret).toString('latin1').replace(PREFIX, ''))
    return key?.length > 0 ? key : refuse('secret_invalid')
  },

  /** Undefined unless it is the one canonical form. */
  base64(text) {
    const bytes = Buffer.from(text, 'base64')
    return bytes.toString('base64') === text ? bytes : undefined
  },

  family(headers) {
    return this.lines(headers, this.signatureHeader).length > 0 ? 'webhook-' : 'svix-'
  },

  value(headers, name) {
    return this.joinLines(this.lines(headers, name))
  },

  parse(headers) {
    const family = this.family(headers)
    const list = this.headerValue(this.value(headers, `${family}signature`))
    const id = this.id(this.value(headers, `${family}id`))
    const time = this.stamp(this.value(headers, `${family}timestamp`))
    const texts = this.signatureTexts(list)
    this.signatureCount(texts.length)
    return { id, time, signatures: this.signatures(texts) }
  },

  id(text) {
    if (text === '') refuse('header_missing')
    if (!/^[!-~]{1,256}$/u.test(text)) refuse('header_malformed')
    return text
  },

  stamp(text) {
    if (text === '') refuse('timestamp_missing')
    return this.time(text)
  },

  signatureTexts(list) {
    return list
      .split(' ')
      .filter((value) => value.startsWith('v1,') && value.length > 3)
      .map((value) => value.slice(3))
  },

  signature(text) {
    const bytes = this.base64(text)
    return bytes?.length === 32 ? bytes : undefined
  },

  head({ id, time }) {
    return `${id}.${time.text}.`
  },

  warnings: () => [],
  occurredAt: moment,

  event({ type, timestamp }, _headers, { id }) {
    return facts({
      id,
      type: typeof type === 'string' && !this.isBlank(type) ? type : '',
      idSigned: true,
      occurredAt: this.occurredAt(timestamp),
    })
  },

  draft({ id = '', timestamp }) {
    return { id: this.id(id), time: this.stamp(timestamp) }
  },

  format(_draft, macs) {
    return { header: macs.map((mac) => `v1,${mac.toString('base64')}`).join(' ') }
  },
}

const matchHeads = (heads) =>
  function match(parts) {
    for (const [secret, key] of parts.keys.entries()) {
      const macs = heads(parts).map((head) => this.hmac(key, head, parts.body))
      const signature = parts.signatures.findIndex((one) => macs.some((mac) => mac.equals(one)))
      if (signature !== -1) return { secret, signature }
    }
    return refuse('signature_mismatch')
  }

const own = [
  {
    title: 'v1a taken for v1',
    defect: 'Takes every value whose version starts with v1, and what stands behind its comma.',
    change: {
      signatureTexts: (list) =>
        list
          .split(' ')
          .filter((value) => /^v1[^,]*,./u.test(value))
          .map((value) => value.slice(value.indexOf(',') + 1)),
    },
  },
  {
    title: 'the version is not looked at',
    defect: 'Compares what stands behind the comma, or the whole value when there is none.',
    change: {
      signatureTexts: (list) =>
        list
          .split(' ')
          .map((value) => value.split(',').at(-1))
          .filter((text) => text !== ''),
    },
  },
  {
    title: 'lenient base64',
    defect: 'Trusts a decoder that takes the URL alphabet, missing padding and junk.',
    change: {
      base64: (text) => Buffer.from(text, 'base64'),
    },
  },
  {
    title: 'hex as well',
    defect: 'Accepts a signature written as 64 hex digits.',
    change: {
      signature(text) {
        const isHex = /^[0-9a-f]{64}$/iu.test(text)
        return isHex ? Buffer.from(text, 'hex') : standardSteps.signature(text)
      },
    },
  },
  {
    title: 'the secret as it stands',
    defect: 'Uses the text of a secret as the key when it is not base64, and tries it besides.',
    change: {
      keys: (secrets) => steps.keys(secrets).flatMap((secret) => [secret, lenientKey(secret)]),
      match(parts) {
        const { secret, signature } = steps.match.call(this, parts)
        return { secret: secret >> 1, signature }
      },
    },
  },
  {
    title: 'the prefix required',
    defect: 'Refuses a secret that does not begin with whsec_.',
    change: {
      key(secret) {
        if (!PREFIX.test(Buffer.from(secret).toString('latin1'))) refuse('secret_invalid')
        return standardSteps.key(secret)
      },
    },
  },
  {
    title: 'the id need not be signed',
    defect: 'For old senders also accepts the MAC of timestamp and body, or of the body alone.',
    change: {
      match: matchHeads(({ id, time }) => [`${id}.${time.text}.`, `${time.text}.`, '']),
    },
  },
  {
    title: 'an absent id goes unnoticed',
    defect: 'Goes on with an empty id.',
    change: { id: (text) => (text === '' ? text : standardSteps.id(text)) },
  },
  {
    title: 'any id',
    defect: 'Takes every text for an id, joined lines and blanks among them.',
    change: { id: (text) => (text === '' ? refuse('header_missing') : text) },
  },
  {
    title: 'families mixed',
    defect: 'Looks each header up under either name.',
    change: {
      value(headers, name) {
        const other = name.replace(/^(?:webhook|svix)-/u, '')
        const [line = ''] = ['webhook-', 'svix-']
          .map((family) => this.joinLines(this.lines(headers, family + other)))
          .filter((text) => text !== '')
        return line
      },
    },
  },
  {
    title: 'one family only',
    defect: 'Does not know the names with svix-.',
    change: { family: () => 'webhook-' },
  },
  {
    title: 'split at any white space',
    defect: 'Splits the list where the language sees white space, and at commas between values.',
    change: {
      signatureTexts: (list) =>
        standardSteps.signatureTexts(list.split(/,?[\s,]+(?=v1,)/u).join(' ')),
    },
  },
  {
    title: 'the trim of the language',
    defect: 'Trims headers before it looks at them, and takes a no-break space for nothing.',
    change: { joinLines: (lines) => lines.join(', ').trim() },
  },
  {
    title: 'a payload without type refused',
    defect: 'Takes the recommended payload for a required one.',
    change: {
      envelope(json) {
        const envelope = steps.envelope.call(this, json)
        if (typeof envelope.type !== 'string') refuse('envelope_field_missing')
        return envelope
      },
    },
  },
  {
    title: 'id from the body',
    defect: 'Reports the id of the body, when it has one.',
    change: {
      event(envelope, headers, { id }) {
        const own = typeof envelope.id === 'string' ? envelope.id : id
        return standardSteps.event(envelope, headers, { id: own })
      },
    },
  },
  {
    title: 'timestamp of the body compared with the clock',
    defect: "Applies the tolerance to the time of the event instead of the attempt's alone.",
    change: {
      envelope(json, { now, tolerance }) {
        const envelope = steps.envelope.call(this, json)
        const seconds = moment(envelope.timestamp)
        if (seconds !== undefined) this.freshness(now, Number(seconds), tolerance)
        return envelope
      },
    },
  },
  {
    title: 'timestamp read by the date parser of the language',
    defect: 'Hands any text to a parser that also takes dates without an offset.',
    change: {
      occurredAt(timestamp) {
        if (typeof timestamp !== 'string') return moment(timestamp)
        const milliseconds = Date.parse(timestamp)
        return Number.isNaN(milliseconds) ? undefined : moment(Math.floor(milliseconds / 1000))
      },
    },
  },
]

function lenientKey(secret) {
  return Buffer.from(Buffer.from(secret).toString('latin1').replace(PREFIX, ''), 'base64')
}

export const standardWebhooks = {
  profile: 'standard-webhooks',
  prefix: 'MW',
  steps: standardSteps,
  defects: [
    {
      title: 'only the first value',
      defect: 'Compares with the first v1 value and ignores the rest.',
      change: { signatureTexts: (list) => standardSteps.signatureTexts(list).slice(0, 1) },
    },
    {
      title: 'only the last value',
      defect: 'Lets a later v1 value replace an earlier one.',
      change: { signatureTexts: (list) => standardSteps.signatureTexts(list).slice(-1) },
    },
    ...own,
    ...defects('M03', 'M06', 'M07', 'M08', 'M18', 'M19', 'M20', 'M24', 'M30', 'M38', 'M39'),
    ...defects('M29', 'M43', 'M46', 'M48', 'M66'),
    ...BODY_DEFECTS,
    TOLERANCE_DEFECT,
  ],
}
