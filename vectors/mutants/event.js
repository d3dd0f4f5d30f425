import { ID_HEADER, isObject, KNOWN_TYPES, refuse, steps } from './verifier.js'

const FIELDS = ['event_id', 'event_type', 'version', 'occurred_at', 'data']
const RESOURCE_FIELDS = {
  invoice_id: 'invoice',
  withdrawal_id: 'withdrawal',
  id: 'payment_channel_deposit',
}

const camelCase = (name) => name.replace(/_(.)/gu, (_, letter) => letter.toUpperCase())

/** The envelope and what is reported of it. */
export default [
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
    id: 'M53',
    title: 'the envelope is not checked',
    defect: 'Trusts whatever JSON a good signature covers.',
    change: { envelope: (json) => json },
  },
  {
    id: 'M54',
    title: 'fields must be there, no more',
    defect: 'Checks that the five fields are present, but neither types nor values.',
    change: {
      envelope(json) {
        if (!isObject(json)) refuse('envelope_not_object')
        if (!FIELDS.every((field) => Object.hasOwn(json, field))) refuse('envelope_field_missing')
        return json
      },
    },
  },
  {
    id: 'M55',
    title: 'blank means empty',
    defect: 'Compares texts with the empty text only.',
    change: { isBlank: (text) => text === '' },
  },
  {
    id: 'M56',
    title: 'version must be 1',
    defect: 'Refuses every version but the one that was documented.',
    change: {
      version(value) {
        steps.version(value)
        if (value > 1) refuse('envelope_field_value')
      },
    },
  },
  {
    id: 'M57',
    title: 'extra fields refused',
    defect: 'Validates the envelope with a closed schema.',
    change: {
      envelope(json) {
        const envelope = steps.envelope(json)
        const extra = Object.keys(envelope).some((name) => !FIELDS.includes(name))
        return extra ? refuse('envelope_field_value') : envelope
      },
    },
  },
  {
    id: 'M58',
    title: 'the warning is a refusal',
    defect: 'Refuses a delivery whose X-Webhook-Id differs from the event id.',
    change: {
      warnings(headers, eventId) {
        const warnings = steps.warnings(headers, eventId)
        return warnings.length === 0 ? warnings : refuse('envelope_field_value')
      },
    },
  },
  {
    id: 'M59',
    title: 'event id from the header',
    defect: 'Reports X-Webhook-Id, which nobody signed, as the id of the event.',
    change: {
      event(envelope, headers) {
        const [id = envelope.event_id] = steps.lines(headers, ID_HEADER)
        return { ...steps.event(envelope), id }
      },
    },
  },
  {
    id: 'M60',
    title: 'the list of types ends with invoices',
    defect: 'Knows the event types of an older document.',
    change: { known: (type) => KNOWN_TYPES.has(type) && type.startsWith('invoice.') },
  },
  {
    id: 'M61',
    title: 'the resource by its field',
    defect: 'Takes the first id it finds in data, whatever the event type says.',
    change: {
      resource(_type, data) {
        const field = Object.keys(RESOURCE_FIELDS).find((name) => Object.hasOwn(data, name))
        return field && { kind: RESOURCE_FIELDS[field], id: data[field] }
      },
    },
  },
  {
    id: 'M62',
    title: 'an event without its resource refused',
    defect: 'Wants the id of the resource in data, which the envelope does not promise.',
    change: {
      resource: (type, data) =>
        steps.resource(type, data) ??
        (KNOWN_TYPES.has(type) ? refuse('envelope_field_missing') : undefined),
    },
  },
  {
    id: 'M67',
    title: 'known by family',
    defect: 'Takes every type of a known family for a known type.',
    change: { known: (type) => /^(?:invoice|withdrawal|payment_channel)\b/u.test(type) },
  },
  {
    id: 'M68',
    title: 'event ids folded',
    defect: 'Lower-cases event ids, as a case-insensitive column does.',
    change: {
      event(envelope) {
        return { ...steps.event(envelope), id: envelope.event_id.toLowerCase() }
      },
    },
  },
]
