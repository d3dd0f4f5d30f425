import bod from './recipes/bod.js'
import eid from './recipes/eid.js'
import env from './recipes/env.js'
import fam from './recipes/fam.js'
import hdr from './recipes/hdr.js'
import lim from './recipes/lim.js'
import mac from './recipes/mac.js'
import ord from './recipes/ord.js'
import rot from './recipes/rot.js'
import sec from './recipes/sec.js'
import sgn from './recipes/sgn.js'
import sig from './recipes/sig.js'
import tim from './recipes/tim.js'

/** In the order in which a verifier works. */
export const GROUPS = [hdr, sig, rot, tim, bod, sec, env, eid, fam, lim, ord, sgn, mac]
