/**
 * What is a scheme's own in its vectors, by the name of its folder: the options that choose it, the output of an
 * accepted delivery and that of a signer. A scheme without a row here fails its vectors.
 */
export function schemeRows({ profiles }) {
  return {
    paymos: {
      options: {},
      accepted({ event, delivery, matched, timestamp, warnings }) {
        return {
          timestamp: String(timestamp),
          matched,
          warnings,
          event: {
            id: delivery.id,
            type: delivery.type,
            known: profiles.paymos.knownTypes.includes(delivery.type),
            version: String(event.version),
            occurredAt: String(delivery.occurredAt),
            ...(delivery.resource && { resource: delivery.resource }),
          },
        }
      },
      signed: (headers) => ({ header: headers['X-Webhook-Signature'] }),
    },
  }
}
