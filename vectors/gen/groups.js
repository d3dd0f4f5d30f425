import hdr from './recipes/hdr.js'

/** In the order in which a verifier works. */
export const GROUPS = [hdr]
