import { trimBlanks } from './blanks.ts'
import { decodeHex, encodeHex } from './bytes.ts'
import { fail } from './errors.ts'
import type { HeaderReader } from './headers.ts'
import type { SignedHeaders, SignedParts } from './scheme.ts'
import { type Rejected, reject } from './verdict.ts'

const NAME = 'X-Hub-Signature-256'

/**
 * Reads `X-Hub-Signature-256: sha256=<64 lower-case hex digits>`, where the body alone is signed:
 * no time, no id, one signature.
 */
export function parseHubSignature(header: HeaderReader): SignedParts | Rejected {
  const text = header(NAME.toLowerCase())
  if (text === undefined || !trimBlanks(text))
    return reject('header', 'header_missing', `expected ${NAME}`)
  if (!text.startsWith('sha256=')) return reject('header', 'header_malformed', 'expected sha256=')
  const signature = /^.{7}[0-9a-f]{64}$/u.test(text) ? decodeHex(text, 7, 71) : undefined
  if (signature === undefined) {
    return reject('header', 'signature_malformed', 'expected sha256= and 64 lower-case hex digits')
  }
  return { head: new Uint8Array(0), signatures: [signature] }
}

/** Writes it. Throws `secret_invalid` for several secrets: there is room for one signature. */
export function formatHubSignature([mac, ...more]: readonly Uint8Array[]): SignedHeaders {
  if (more.length > 0) fail('secret_invalid', `${NAME} holds one signature; sign with one secret`)
  return { [NAME]: `sha256=${encodeHex(mac as Uint8Array)}` }
}
