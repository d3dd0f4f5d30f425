/** Why a delivery was refused. Codes are only ever added; their meaning never changes. */
export type Reason =
  | 'header_missing'
  | 'header_too_long'
  | 'header_malformed'
  | 'timestamp_missing'
  | 'timestamp_duplicate'
  | 'timestamp_malformed'
  | 'signature_missing'
  | 'signature_malformed'
  | 'signatures_too_many'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'body_too_large'
  | 'body_incomplete'
  | 'signature_mismatch'
  | 'body_not_utf8'
  | 'body_not_json'
  | 'envelope_not_object'
  | 'envelope_field_missing'
  | 'envelope_field_type'
  | 'envelope_field_value'
  | 'schema_invalid'

/** The step of the verification that refused, in the order the steps are taken. */
export type Stage = 'header' | 'freshness' | 'size' | 'signature' | 'body' | 'envelope' | 'schema'

/**
 * The HTTP status that fits a refusal. Literals, because several frameworks take no plain number.
 */
export type RefusalStatus = 400 | 401 | 413 | 422

/**
 * Every reason with its stage, its HTTP status and one sentence for people. The sentences may
 * change between versions; reasons, stages and statuses do not. Nothing here reads the table, so a
 * bundle that does not name it is free of it.
 */
export const REASONS: Readonly<
  Record<
    Reason,
    { readonly stage: Stage; readonly status: RefusalStatus; readonly meaning: string }
  >
> = /* @__PURE__ */ freeze({
  header_missing: {
    stage: 'header',
    status: 400,
    meaning: 'The request has no signature header, or an empty one.',
  },
  header_too_long: {
    stage: 'header',
    status: 400,
    meaning: 'The signature header is longer than any sender makes it.',
  },
  header_malformed: {
    stage: 'header',
    status: 400,
    meaning: 'The signature header is not what the provider documents.',
  },
  timestamp_missing: {
    stage: 'header',
    status: 400,
    meaning: 'The signature header carries no timestamp.',
  },
  timestamp_duplicate: {
    stage: 'header',
    status: 400,
    meaning: 'The signature header carries several timestamps.',
  },
  timestamp_malformed: {
    stage: 'header',
    status: 400,
    meaning: 'The timestamp is not a plain number of seconds.',
  },
  signature_missing: {
    stage: 'header',
    status: 400,
    meaning: 'The signature header carries no signature.',
  },
  signature_malformed: {
    stage: 'header',
    status: 400,
    meaning: 'No signature in the header has the right form.',
  },
  signatures_too_many: {
    stage: 'header',
    status: 400,
    meaning: 'The header carries more signatures than any sender makes.',
  },
  timestamp_too_old: {
    stage: 'freshness',
    status: 401,
    meaning: 'Signed too long ago, or the clock here is fast.',
  },
  timestamp_too_new: {
    stage: 'freshness',
    status: 401,
    meaning: 'Signed in the future, or the clock here is slow.',
  },
  body_too_large: { stage: 'size', status: 413, meaning: 'The body is larger than maxBodyBytes.' },
  body_incomplete: { stage: 'size', status: 400, meaning: 'The body broke off before its end.' },
  signature_mismatch: {
    stage: 'signature',
    status: 401,
    meaning:
      'No secret produces any of the signatures: another secret, other bytes than were signed, or a forgery.',
  },
  body_not_utf8: {
    stage: 'body',
    status: 422,
    meaning: 'Rightly signed, but the body is not UTF-8 text.',
  },
  body_not_json: {
    stage: 'body',
    status: 422,
    meaning: 'Rightly signed, but the body is not one JSON document.',
  },
  envelope_not_object: {
    stage: 'envelope',
    status: 422,
    meaning: 'Rightly signed, but the body is not a JSON object.',
  },
  envelope_field_missing: {
    stage: 'envelope',
    status: 422,
    meaning: 'Rightly signed, but a required field is missing.',
  },
  envelope_field_type: {
    stage: 'envelope',
    status: 422,
    meaning: 'Rightly signed, but a field has another JSON type.',
  },
  envelope_field_value: {
    stage: 'envelope',
    status: 422,
    meaning: 'Rightly signed, but a field has an impossible value.',
  },
  schema_invalid: {
    stage: 'schema',
    status: 422,
    meaning: 'Rightly signed, but your own schema refused the event.',
  },
})

function freeze<T extends object>(table: T): T {
  for (const row of Object.values(table)) Object.freeze(row)
  return Object.freeze(table)
}
