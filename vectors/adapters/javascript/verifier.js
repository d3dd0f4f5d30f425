// A verifier over the package `hookproof`, in the words of the suite. In a receiver of your own call
// the package directly; this file only shows what its answers are called in SPEC.md.
import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { createSigner, verify } from 'hookproof'
import * as schemes from 'hookproof/schemes'

const require = createRequire(import.meta.url)
const { knownTypes } = require('hookproof/vectors/profiles/paymos.json')

const SCHEMES = {
  paymos: schemes.paymos,
  stripe: schemes.stripe,
  'standard-webhooks': schemes.standardWebhooks,
  github: schemes.github,
  meta: schemes.meta,
}

export const profiles = Object.keys(SCHEMES)

export const operations = {
  async verify(profile, { headers, body, secrets, now, tolerance, limits }) {
    const verdict = await verify(
      { headers: headers.map(([name, value]) => [name, value.toString('latin1')]), body },
      {
        scheme: SCHEMES[profile],
        secret: secrets,
        now: () => Number(now),
        toleranceSeconds: tolerance ?? undefined,
        maxBodyBytes: limits?.maxBodyBytes,
      },
    )
    if (!verdict.ok) return { result: 'invalid', reason: verdict.reason, detail: verdict.detail }
    return { result: 'valid', output: outputOf(profile, verdict) }
  },

  async sign(profile, { secrets, body, timestamp, id }) {
    const signer = createSigner({ scheme: SCHEMES[profile], secret: secrets })
    const headers = await signer.sign({ body, timestamp: timestamp && Number(timestamp), id })
    const { signatureHeader } = require(`hookproof/vectors/profiles/${profile}.json`)
    return { result: 'valid', output: { header: headers[signatureHeader] } }
  },

  mac(_profile, { key, message }) {
    return {
      result: 'valid',
      output: { mac: createHmac('sha256', key).update(message).digest('hex') },
    }
  },
}

function outputOf(profile, { event, delivery, timestamp, matched, warnings }) {
  const { id, type, occurredAt, resource, idSigned, items } = delivery
  const known = knownTypes.includes(type)
  const own = profile === 'paymos' ? { known, version: String(event.version) } : { idSigned, items }
  return {
    timestamp: timestamp === undefined ? undefined : String(timestamp),
    matched,
    warnings,
    event: {
      id,
      type,
      occurredAt: occurredAt === undefined ? undefined : String(occurredAt),
      resource,
      ...own,
    },
  }
}
