import { createHmac } from 'node:crypto'
import { BODY_DEFECTS } from './common.js'
import { facts } from './facts.js'
import { defects } from './paymos.js'
import { isObject, refuse, steps, stripSpace } from './verifier.js'

/** X-Hub-Signature-256, which two providers share. */
const hubSteps = {
  ...steps,
  signatureHeader: 'x-hub-signature-256',
  fields: {},

  /** There is no time to be tolerant of. */
  tolerance(given) {
    if (given !== null) refuse('tolerance_invalid')
  },

  parse(headers) {
    const value = this.joinLines(this.lines(headers, this.signatureHeader))
    if (stripSpace(value) === '') refuse('header_missing')
    return { signatures: [this.signature(this.digits(value))] }
  },

  digits(value) {
    if (!value.startsWith('sha256=')) refuse('header_malformed')
    return value.slice(7)
  },

  signature(text) {
    if (!/^[0-9a-f]{64}$/u.test(text)) refuse('signature_malformed')
    return Buffer.from(text, 'hex')
  },

  head: () => '',
  warnings: () => [],
  draft: () => ({}),

  format(_draft, macs) {
    if (macs.length > 1) refuse('secret_invalid')
    return { header: `sha256=${macs[0].toString('hex')}` }
  },
}

const shared = [
  {
    title: 'SHA-1 accepted',
    defect: 'Looks at X-Hub-Signature first, which has been there longer.',
    change: {
      parse(headers) {
        const [value] = this.lines(headers, 'x-hub-signature')
        if (!/^sha1=/u.test(value ?? '')) return hubSteps.parse.call(this, headers)
        return { signatures: [Buffer.from(value.slice(5), 'hex')], algorithm: 'sha1' }
      },
      match(parts) {
        if (parts.algorithm === undefined) return steps.match.call(this, parts)
        const macs = parts.keys.map((key) => createHmac('sha1', key).update(parts.body).digest())
        const secret = macs.findIndex((mac) => mac.equals(parts.signatures[0]))
        return secret === -1 ? refuse('signature_mismatch') : { secret, signature: 0 }
      },
    },
  },
  {
    title: 'prefix not checked',
    defect: 'Compares what stands behind the last equals sign, or the whole value.',
    change: { digits: (value) => value.split('=').at(-1) },
  },
  {
    title: 'prefix in any case',
    defect: 'Lower-cases the header before it looks at it.',
    change: { digits: (value) => hubSteps.digits(value.toLowerCase()) },
  },
  {
    title: 'hex in any case',
    defect: 'Decodes upper-case digits like lower-case ones.',
    change: { signature: (text) => hubSteps.signature(text.toLowerCase()) },
  },
  {
    title: 'hex decoding stops at the first bad character',
    defect: 'Trusts a lenient decoder: 32 good bytes and a tail of anything is a signature.',
    change: {
      signature(text) {
        const bytes = Buffer.from(text, 'hex')
        return bytes.length === 32 ? bytes : refuse('signature_malformed')
      },
    },
  },
  {
    title: 'compares a prefix only',
    defect: 'Compares as many bytes as were received, so a cut MAC matches, and so does none.',
    change: {
      signature: (text) =>
        /^(?:[0-9a-f]{2}){0,32}$/u.test(text)
          ? Buffer.from(text, 'hex')
          : refuse('signature_malformed'),
      equal: (expected, received) => expected.subarray(0, received.length).equals(received),
    },
  },
  {
    title: 'comparison throws on another length',
    defect: 'Hands a MAC of any length to a comparison that throws unless lengths are equal.',
    change: { signature: (text) => Buffer.from(text, 'hex') },
  },
  {
    title: 'first line only',
    defect: 'Takes the first of several lines.',
    change: { joinLines: (lines) => lines[0] ?? '' },
  },
  {
    title: 'a signature is optional',
    defect: 'Verifies only when the header is there, and lets everything else through.',
    change: {
      authenticate(delivery) {
        const value = this.joinLines(this.lines(delivery.headers, this.signatureHeader))
        if (value.trim() !== '') return steps.authenticate.call(this, delivery)
        return { body: delivery.body, matched: { secret: 0, signature: 0 } }
      },
    },
  },
  {
    title: 'a tolerance taken on trust',
    defect: 'Takes a tolerance and never uses it, so that its owner feels safe.',
    change: { tolerance() {} },
  },
  {
    title: 'secret decoded from hex',
    defect: 'Decodes a secret that looks like hex, and tries its text only when it does not.',
    change: {
      keys: (secrets) =>
        steps.keys(secrets).map((secret) => {
          const text = Buffer.from(secret).toString('latin1')
          return /^(?:[0-9a-f]{2})+$/u.test(text) ? Buffer.from(text, 'hex') : secret
        }),
    },
  },
  {
    title: 'signs with the first secret of several',
    defect: 'Has no answer to two secrets for one signature, and takes the first.',
    change: { format: (draft, macs) => hubSteps.format(draft, macs.slice(0, 1)) },
  },
  {
    title: 'the last secret that matched',
    defect: 'Reports the highest secret that matched instead of the lowest.',
    change: {
      match(parts) {
        const macs = parts.keys.map((key) => this.hmac(key, '', this.signedBody(parts.body)))
        const secret = macs.findLastIndex((mac) => this.equal(mac, parts.signatures[0]))
        return secret === -1 ? refuse('signature_mismatch') : { secret, signature: 0 }
      },
    },
  },
  {
    title: 'the trim of the language',
    defect: 'Trims the header before it looks at it, and takes a no-break space for nothing.',
    change: { joinLines: (lines) => lines.join(', ').trim() },
  },
  ...defects('M18', 'M19', 'M20', 'M21', 'M22', 'M24', 'M29', 'M43', 'M46', 'M48', 'M50', 'M65'),
  ...defects('M66'),
  ...BODY_DEFECTS,
]

const githubSteps = {
  ...hubSteps,
  event(_envelope, headers) {
    const value = (name) => this.joinLines(this.lines(headers, name))
    return facts({
      id: value('x-github-delivery') || undefined,
      type: value('x-github-event'),
      idSigned: false,
    })
  },
}

const metaSteps = {
  ...hubSteps,
  fields: { object: 'string', entry: 'list' },

  list(value) {
    if (!Array.isArray(value)) refuse('envelope_field_type')
  },

  /** The objects of a list, or none. */
  objects: (value) => (Array.isArray(value) ? value.filter(isObject) : []),

  direct(entry) {
    return this.objects(entry.messaging).map(({ message, postback }) => {
      if (isObject(message)) return message.is_deleted === true ? undefined : message.mid
      return isObject(postback) ? postback.mid : undefined
    })
  },

  changed(entry) {
    return this.objects(entry.changes)
      .filter(({ value }) => isObject(value))
      .flatMap(({ value }) => this.objects(value.messages))
      .map(({ id }) => id)
  },

  event({ object, entry }) {
    const ids = this.objects(entry).flatMap((one) => [...this.direct(one), ...this.changed(one)])
    const items = ids.filter((id) => typeof id === 'string' && !this.isBlank(id))
    return { type: object, idSigned: true, items }
  },
}

export const github = {
  profile: 'github',
  prefix: 'MG',
  steps: githubSteps,
  defects: [
    ...shared,
    {
      title: 'an event without an id refused',
      defect: 'Wants the id of the delivery, which is not signed, beside the name of the event.',
      change: {
        event(envelope, headers) {
          const event = githubSteps.event.call(this, envelope, headers)
          return event.type && event.id === undefined ? refuse('header_missing') : event
        },
      },
    },
    {
      title: 'type from the body',
      defect: 'Reports the action of the payload as the type of the event.',
      change: {
        event(envelope, headers) {
          const event = githubSteps.event.call(this, envelope, headers)
          return { ...event, type: event.type && (envelope.action ?? event.type) }
        },
      },
    },
  ],
}

export const meta = {
  profile: 'meta',
  prefix: 'MF',
  steps: metaSteps,
  defects: [
    ...shared,
    {
      title: 'only the first message',
      defect: 'Reads entry[0].changes[0].value.messages[0], as examples do.',
      change: {
        event({ object, entry }) {
          const { items } = metaSteps.event.call(this, { object, entry })
          return { type: object, idSigned: true, items: items.slice(0, 1) }
        },
      },
    },
    {
      title: 'only one product',
      defect: 'Knows the messages of WhatsApp and none of Messenger.',
      change: { direct: () => [] },
    },
    {
      title: 'status updates and deletions taken for messages',
      defect: 'Lists every id it finds, also of statuses and deletions: ids of older messages.',
      change: {
        direct(entry) {
          return this.objects(entry.messaging)
            .map(({ message, postback }) => message ?? postback)
            .map((item) => isObject(item) && item.mid)
        },
        changed(entry) {
          return this.objects(entry.changes)
            .map(({ value }) => value ?? {})
            .flatMap(({ messages, statuses }) => [
              ...this.objects(messages),
              ...this.objects(statuses),
            ])
            .map(({ id }) => id)
        },
      },
    },
    {
      title: 'the envelope is not checked',
      defect: 'Trusts whatever JSON a good signature covers.',
      change: { envelope: (json) => json },
    },
    {
      title: 'reads members of what is no object',
      defect: 'Walks the payload without asking what it holds.',
      change: {
        objects: (value) => value ?? [],
        direct: (entry) =>
          (entry.messaging ?? []).map(({ message, postback }) =>
            message ? !message.is_deleted && message.mid : postback.mid,
          ),
      },
    },
    {
      title: 'a delivery without ids refused',
      defect: 'Wants something to dedupe on in every delivery.',
      change: {
        event(envelope) {
          const event = metaSteps.event.call(this, envelope)
          return event.items.length === 0 ? refuse('envelope_field_missing') : event
        },
      },
    },
  ],
}
