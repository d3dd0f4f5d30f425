import bod from './bod.js'
import eid from './eid.js'
import env from './env.js'
import fam from './fam.js'
import hdr from './hdr.js'
import { A, bytes, P, signed } from './kit.js'
import lim from './lim.js'
import mac from './mac.js'
import ord from './ord.js'
import rot from './rot.js'
import sec from './sec.js'
import sgn from './sgn.js'
import sig from './sig.js'
import tim from './tim.js'

export default {
  profile: 'paymos',
  usual: {
    headers: [['X-Webhook-Signature', signed(P).header]],
    body: P,
    secrets: [A],
    tolerance: 300,
  },
  groups: [hdr, sig, rot, tim, bod, sec, env, eid, fam, lim, ord, sgn, mac],
  key: (secret) => secret,
  signedContent(header, body) {
    const [, t] = /(?:^|,)[ \t]*t=([0-9]+)/.exec(header('x-webhook-signature'))
    return bytes(t, '.', body)
  },
}
