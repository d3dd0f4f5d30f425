// A verifier over the package `hookproof`, in the words of SPEC.md. A receiver calls the package itself.
import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { createSigner, verify } from 'hookproof'
import { github, meta, paymos, standardWebhooks, stripe } from 'hookproof/schemes'

const SCHEMES = { paymos, stripe, 'standard-webhooks': standardWebhooks, github, meta }
const require = createRequire(import.meta.url)
const facts = (profile) => require(`hookproof/vectors/profiles/${profile}.json`)

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
    const { event, delivery, timestamp, matched, warnings } = verdict
    const { id, type, occurredAt, resource, idSigned, items } = delivery
    const own =
      profile === 'paymos'
        ? { known: facts(profile).knownTypes.includes(type), version: String(event.version) }
        : { idSigned, items }
    const described = { id, type, occurredAt: occurredAt?.toString(), resource, ...own }
    const output = { timestamp: timestamp?.toString(), matched, warnings, event: described }
    return { result: 'valid', output }
  },

  async sign(profile, { secrets, body, timestamp, id }) {
    const signer = createSigner({ scheme: SCHEMES[profile], secret: secrets })
    const headers = await signer.sign({ body, timestamp: timestamp && Number(timestamp), id })
    return { result: 'valid', output: { header: headers[facts(profile).signatureHeader] } }
  },

  mac(_profile, { key, message }) {
    const mac = createHmac('sha256', key).update(message).digest('hex')
    return { result: 'valid', output: { mac } }
  },
}
