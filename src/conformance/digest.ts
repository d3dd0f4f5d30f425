import { encodeHex, utf8 } from '../core/bytes.ts'
import { SuiteError } from './suite-error.ts'

/** The part of WebCrypto that is called. */
interface Subtle {
  digest(algorithm: 'SHA-256', data: Uint8Array): Promise<ArrayBuffer>
}

/** The SHA-256 of a text's UTF-8 bytes, in hex. */
export async function sha256(text: string): Promise<string> {
  const { crypto } = globalThis as { crypto?: { subtle?: Subtle } }
  if (crypto?.subtle === undefined) {
    throw new SuiteError('this runtime has no crypto.subtle, by which the vectors are checked')
  }
  return encodeHex(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text))))
}
