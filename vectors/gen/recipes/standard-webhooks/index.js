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
  profile: 'standard-webhooks',
  usual: { headers: signed(P).headers, body: P, secrets: [A], tolerance: 300 },
  groups: [
    hdr,
    sig,
    rot,
    timeGroup(kit, { form: 'W4', window: 'W8', signed: 'W9' }),
    bodyGroup(kit, { signed: 'W9', text: 'W12', size: 'W12' }),
    sec,
    env,
    ord,
    sgn,
  ],
  key: (secret) => Buffer.from(String(secret).replace(/^whsec_/u, ''), 'base64'),
  signedContent(header, body) {
    const family = header('webhook-signature') === null ? 'svix-' : 'webhook-'
    const [id, t] = ['id', 'timestamp'].map((name) => Buffer.from(header(family + name), 'latin1'))
    return bytes(id, '.', t, '.', body)
  },
}
