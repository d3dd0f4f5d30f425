import { BODY_DEFECTS, TOLERANCE_DEFECT } from './common.js'
import { facts, moment } from './facts.js'
import { defects } from './paymos.js'
import { isObject, refuse, steps } from './verifier.js'

const stripeSteps = {
  ...steps,
  signatureHeader: 'stripe-signature',
  fields: { id: 'string', type: 'eventType' },

  warnings: () => [],

  isText(value) {
    return typeof value === 'string' && !this.isBlank(value)
  },

  resource({ data, related_object }) {
    const subject = isObject(data) ? data.object : related_object
    if (!isObject(subject)) return undefined
    const kind = isObject(data) ? subject.object : subject.type
    return this.isText(kind) && this.isText(subject.id) ? { kind, id: subject.id } : undefined
  },

  occurredAt: moment,

  event(envelope) {
    const { id, type, created } = envelope
    return facts({
      id,
      type,
      idSigned: true,
      occurredAt: this.occurredAt(created),
      resource: this.resource(envelope),
    })
  },
}

const own = [
  {
    title: 'thin events unknown',
    defect: 'Looks for the resource in data.object only.',
    change: {
      resource: ({ data }) => stripeSteps.resource({ data }),
    },
  },
  {
    title: 'an event without data.object refused',
    defect: 'Wants the object of the event in every event.',
    change: {
      resource(envelope) {
        const { data } = envelope
        if (!isObject(data?.object)) refuse('envelope_field_missing')
        return stripeSteps.resource(envelope)
      },
    },
  },
  {
    title: 'created is a number',
    defect: 'Takes created as it stands, which is text in thin events.',
    change: {
      occurredAt: (created) => (typeof created === 'number' ? String(created) : undefined),
    },
  },
  {
    title: 'created read by the date parser of the language',
    defect: 'Hands any text to a parser that also takes dates without an offset.',
    change: {
      occurredAt(created) {
        if (typeof created !== 'string') return moment(created)
        const milliseconds = Date.parse(created)
        return Number.isNaN(milliseconds) ? undefined : moment(Math.floor(milliseconds / 1000))
      },
    },
  },
  {
    title: 'created compared with the clock',
    defect: "Applies the tolerance to the time of the event instead of the attempt's alone.",
    change: {
      envelope(json, { now, tolerance }) {
        const envelope = steps.envelope.call(this, json)
        const seconds = moment(envelope.created)
        if (seconds !== undefined) this.freshness(now, Number(seconds), tolerance)
        return envelope
      },
    },
  },
  {
    title: 'test events by v0',
    defect: 'Compares v0 when no v1 is there.',
    change: {
      signatureTexts(elements) {
        const live = steps.signatureTexts(elements).filter((text) => text !== '')
        const test = elements.filter(({ key }) => key === 'v0').map(({ value }) => value)
        return live.length > 0 ? live : test
      },
    },
  },
]

export const stripe = {
  profile: 'stripe',
  prefix: 'MS',
  steps: stripeSteps,
  defects: [
    ...defects('M01', 'M02', 'M03', 'M06', 'M07', 'M08', 'M10', 'M11', 'M12', 'M13', 'M14'),
    ...defects('M15', 'M16', 'M17', 'M18', 'M19', 'M20', 'M21', 'M22', 'M23', 'M24', 'M25'),
    ...defects('M30', 'M32', 'M35', 'M38', 'M39', 'M41', 'M43', 'M46', 'M50', 'M55', 'M64'),
    ...own,
    ...defects('M29', 'M48', 'M66'),
    ...BODY_DEFECTS,
    TOLERANCE_DEFECT,
  ],
}
