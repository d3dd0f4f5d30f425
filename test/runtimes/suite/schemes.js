/**
 * What is a scheme's own in its vectors, by the profile of a file: the options that choose it, and what its output has
 * that the others' do not. A scheme without a row here fails its vectors.
 */
export function schemeRows({ schemes }, { profiles }) {
  const row = (profile, options, ownFacts) => ({
    options,
    accepted: (verdict) => accepted(verdict, ownFacts(verdict)),
    signed: (headers) => ({ header: headers[profiles[profile].signatureHeader] }),
  })
  const plain = ({ delivery: { idSigned, items } }) => ({ idSigned, ...(items && { items }) })
  const ofPaymos = ({ event, delivery }) => ({
    known: profiles.paymos.knownTypes.includes(delivery.type),
    version: String(event.version),
  })
  return {
    paymos: row('paymos', {}, ofPaymos),
    stripe: row('stripe', { scheme: schemes.stripe }, plain),
    'standard-webhooks': row('standard-webhooks', { scheme: schemes.standardWebhooks }, plain),
    github: row('github', { scheme: schemes.github }, plain),
    meta: row('meta', { scheme: schemes.meta }, plain),
  }
}

function accepted({ delivery, matched, timestamp, warnings }, ownFacts) {
  const { id, type, occurredAt, resource } = delivery
  return {
    ...(timestamp !== undefined && { timestamp: String(timestamp) }),
    matched,
    warnings,
    event: {
      type,
      ...(id !== undefined && { id }),
      ...(occurredAt !== undefined && { occurredAt: String(occurredAt) }),
      ...(resource && { resource }),
      ...ownFacts,
    },
  }
}
