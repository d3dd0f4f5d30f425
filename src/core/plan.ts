import type { HmacEngine, HmacKey } from './engine.ts'
import { type Defaults, readVerifyOptions, type Settings } from './options.ts'
import { type Key, type KnownSecret, prepareKeys, sameSecrets } from './secrets.ts'

/** Checked options with their keys ready: all that verifying a delivery needs. */
export type Plan<K extends HmacKey = HmacKey> = Omit<Settings<HmacEngine>, 'secrets' | 'engine'> & {
  readonly keys: readonly Key<K>[]
}

type KeyOf<Engine extends HmacEngine> = ReturnType<Engine['prepare']>

/**
 * A plan that no later change of the options object reaches. `others` are options that somebody
 * else reads.
 */
export function createPlan<Engine extends HmacEngine>(
  options: object,
  defaults: Defaults<Engine>,
  others: readonly string[] = [],
): Plan<KeyOf<Engine>> {
  const settings = readVerifyOptions(options, defaults, others)
  return { ...settings, keys: prepareKeys(settings, defaults.isSync) }
}

interface Remembered {
  readonly secrets: readonly KnownSecret[]
  readonly scheme: object
  readonly engine: object
  readonly keys: readonly Key[]
}

const remembered = new WeakMap<object, Remembered>()

/**
 * A plan for one call: the options are read anew, their keys only when secret, scheme or engine
 * have changed.
 */
export function recallPlan<Engine extends HmacEngine>(
  options: object,
  defaults: Defaults<Engine>,
): Plan<KeyOf<Engine>> {
  const settings = readVerifyOptions(options, defaults)
  const { secrets, scheme, engine } = settings
  let entry = remembered.get(options)
  if (
    entry === undefined ||
    entry.scheme !== scheme ||
    entry.engine !== engine ||
    !sameSecrets(entry.secrets, secrets)
  ) {
    entry = { secrets, scheme, engine, keys: prepareKeys(settings, defaults.isSync) }
    remembered.set(options, entry)
  }
  return { ...settings, keys: entry.keys as readonly Key<KeyOf<Engine>>[] }
}
