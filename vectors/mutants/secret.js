import { trimBytes, withoutPrefix } from './bytes.js'
import { refuse, steps } from './verifier.js'

const WHSEC = Buffer.from('whsec_')
const BLOCK = 64

/** From configured secrets to keys. */
export default [
  {
    id: 'M21',
    title: 'empty key allowed',
    defect: 'Takes an unset secret as an empty key and computes a MAC anyone can compute.',
    change: {
      keys: (keys) => (keys.length === 0 ? refuse('secret_missing') : keys),
    },
  },
  {
    id: 'M22',
    title: 'secret trimmed',
    defect: 'Trims white space at both ends of the secret.',
    change: { keys: (keys) => steps.keys(keys.map(trimBytes)) },
  },
  {
    id: 'M23',
    title: 'prefix stripped from the secret',
    defect: 'Takes whsec_ for a label and uses only what follows as the key.',
    change: { keys: (keys) => steps.keys(keys.map((key) => withoutPrefix(key, WHSEC))) },
  },
  {
    id: 'M50',
    title: 'only the last secret',
    defect: 'Overwrites the secret while it walks the list.',
    change: { keys: (keys) => steps.keys(keys.slice(-1)) },
  },
  {
    id: 'M51',
    title: 'secrets as Latin-1 text',
    defect: 'Holds secrets as text and writes one byte a character.',
    change: {
      hmac: (key, ...parts) => {
        const text = Buffer.from(key).toString('utf8')
        return steps.hmac(Buffer.from(text, 'latin1'), ...parts)
      },
    },
  },
  {
    id: 'M52',
    title: 'keys cut at one block',
    defect: 'Copies a key into a block of 64 bytes instead of hashing a longer one first.',
    change: { hmac: (key, ...parts) => steps.hmac(key.subarray(0, BLOCK), ...parts) },
  },
  {
    id: 'M65',
    title: 'settings taken on trust',
    defect: 'Works with an empty list of secrets and a negative tolerance.',
    change: {
      keys: (keys) => (keys.length === 0 ? keys : steps.keys(keys)),
      tolerance: (given) => (given < 0 ? given : steps.tolerance(given)),
    },
  },
]
