import body from './body.js'
import event from './event.js'
import header from './header.js'
import secret from './secret.js'
import signature from './signature.js'
import time from './time.js'
import { steps } from './verifier.js'

const DEFECTS = [header, time, signature, body, secret, event]
  .flat()
  .sort((one, other) => one.id.localeCompare(other.id))

/** Defects that are the same in another scheme, whose steps they replace. */
export function defects(...ids) {
  return ids.map((wanted) => DEFECTS.find(({ id }) => id === wanted))
}

export const paymos = { profile: 'paymos', prefix: 'M', steps, defects: DEFECTS }
