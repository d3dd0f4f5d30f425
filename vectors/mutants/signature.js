import { timingSafeEqual } from 'node:crypto'
import { refuse, steps } from './verifier.js'

/** Decoding v1 and comparing it. */
export default [
  {
    id: 'M15',
    title: 'hex decoding stops at the first bad character',
    defect: 'Trusts a lenient decoder: 32 good bytes and a tail of anything is a signature.',
    change: {
      signature(text) {
        const bytes = Buffer.from(text, 'hex')
        return bytes.length === 32 ? bytes : undefined
      },
    },
  },
  {
    id: 'M16',
    title: 'compares a prefix only',
    defect: 'Compares as many bytes as were received, so a cut MAC matches.',
    change: {
      signature(text) {
        return /^(?:[0-9a-f]{2}){1,32}$/iu.test(text) ? Buffer.from(text, 'hex') : undefined
      },
      equal: (expected, received) => expected.subarray(0, received.length).equals(received),
    },
  },
  {
    id: 'M17',
    title: 'comparison throws on another length',
    defect: 'Hands a MAC of any length to a comparison that throws unless lengths are equal.',
    change: {
      signature(text) {
        return /^(?:[0-9a-f]{2})+$/iu.test(text) ? Buffer.from(text, 'hex') : undefined
      },
      equal: (expected, received) => timingSafeEqual(expected, received),
    },
  },
  {
    id: 'M41',
    title: 'one malformed v1 refuses all',
    defect: 'Gives up at the first v1 that is not 64 hex digits.',
    change: {
      signatures(texts) {
        if (!texts.every(steps.signature)) refuse('signature_malformed')
        return steps.signatures(texts)
      },
    },
  },
  {
    id: 'M42',
    title: 'every instead of some',
    defect: 'Wants all well-formed v1 to match, which is true when there is none.',
    change: {
      signatureCount() {},
      signatures: (texts) => texts.map(steps.signature).filter((bytes) => bytes !== undefined),
      match({ keys, signatures, time, body }) {
        const macs = keys.map((key) => steps.hmac(key, `${time.text}.`, body))
        const secret = macs.findIndex((mac) => signatures.every((received) => mac.equals(received)))
        return secret === -1 ? refuse('signature_mismatch') : { secret, signature: 0 }
      },
    },
  },
  {
    id: 'M43',
    title: 'comparison not awaited',
    defect: 'Tests the promise of an asynchronous comparison, and a promise is always true.',
    change: { equal: () => true },
  },
  {
    id: 'M44',
    title: 'other contents tried as well',
    defect: 'For old senders also accepts the MAC of the body alone, or without the full stop.',
    change: {
      match(delivery) {
        const { keys, signatures, time, body } = delivery
        const contents = [[`${time.text}.`, body], [body], [time.text, body]]
        for (const [secret, key] of keys.entries()) {
          const macs = contents.map((parts) => steps.hmac(key, ...parts))
          const matches = signatures.map((received) => macs.some((mac) => mac.equals(received)))
          if (matches.includes(true)) return { secret, signature: matches.indexOf(true) }
        }
        return refuse('signature_mismatch')
      },
    },
  },
  {
    id: 'M45',
    title: 'the signer writes upper-case hex',
    defect: 'Prints MACs with the default format of the language, which is upper case.',
    change: {
      format({ time }, macs) {
        const signatures = macs.map((mac) => `,v1=${mac.toString('hex').toUpperCase()}`)
        return { header: `t=${time.text}${signatures.join('')}` }
      },
    },
  },
]
