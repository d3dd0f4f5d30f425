import type { HmacEngine } from '../core/engine.ts'
import { engine as native } from './native.ts'
import { nodeCrypto } from './node-crypto.ts'
import { engine as web } from './web.ts'

/** The fastest engine of this runtime that needs no bundled cryptography. */
export const engine: HmacEngine = {
  name: 'default',
  prepare: (key) => (nodeCrypto() === undefined ? web : native).prepare(key),
}
