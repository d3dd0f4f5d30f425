import { bodyGroup } from '../shared/bod.js'
import { timeGroup } from '../shared/tim.js'
import env from './env.js'
import hdr from './hdr.js'
import * as kit from './kit.js'
import ord from './ord.js'
import rot from './rot.js'
import sec from './sec.js'
import sgn from './sgn.js'
import sig from './sig.js'

const { A, bytes, P, signed } = kit

export default {
  profile: 'stripe',
  usual: {
    headers: [['Stripe-Signature', signed(P).header]],
    body: P,
    secrets: [A],
    tolerance: 300,
  },
  groups: [
    hdr,
    sig,
    rot,
    timeGroup(kit, { form: 'S5', window: 'S7', signed: 'S8' }),
    bodyGroup(kit, { signed: 'S8', text: 'S11', size: 'S11' }),
    sec,
    env,
    ord,
    sgn,
  ],
  key: (secret) => secret,
  signedContent(header, body) {
    const [, t] = /(?:^|,)[ \t]*t=([0-9]+)/.exec(header('stripe-signature'))
    return bytes(t, '.', body)
  },
}
