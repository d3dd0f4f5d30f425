import type { SyncHmacEngine } from '../core/engine.ts'
import { engine as native } from './native.ts'
import { engine as noble } from './noble.ts'
import { nodeCrypto } from './node-crypto.ts'

/** The fastest engine of this runtime that answers without a promise. */
export const engine: SyncHmacEngine = {
  name: 'default',
  prepare: (key) => (nodeCrypto() === undefined ? noble : native).prepare(key),
}
