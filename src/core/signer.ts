import { inMemory } from './body.ts'
import { utf8 } from './bytes.ts'
import type { HmacEngine, SyncHmacEngine } from './engine.ts'
import { fail, verificationError } from './errors.ts'
import { type Clock, readClock } from './freshness.ts'
import { headerReader } from './headers.ts'
import { type Defaults, readDraft, readSignOptions } from './options.ts'
import type { Scheme, SignDraft, SignedHeaders, StampedDraft } from './scheme.ts'
import { type Key, prepareKeys, type Secret } from './secrets.ts'
import { isRejected } from './verdict.ts'

export interface BaseSignOptions {
  /** Several: one signature each, in order, as during a rotation. */
  readonly secret: Secret | readonly Secret[]
  readonly scheme?: Scheme<unknown>
  /** The clock for drafts without a timestamp, in unix seconds. Default: the system's. */
  readonly now?: (() => number) | undefined
}

/** All that signing needs: settings and keys. */
interface SignPlan<Engine extends HmacEngine> {
  readonly scheme: Scheme<unknown>
  readonly now: Clock
  readonly keys: readonly Key<ReturnType<Engine['prepare']>>[]
}

export function createSignPlan<Engine extends HmacEngine>(
  options: object,
  defaults: Defaults<Engine>,
): SignPlan<Engine> {
  const settings = readSignOptions(options, defaults)
  return { ...settings, keys: prepareKeys(settings, defaults.isSync) }
}

export async function runSign(
  plan: SignPlan<HmacEngine>,
  draft: SignDraft,
): Promise<SignedHeaders> {
  const { stamped, head, body } = prepareDraft(plan, draft)
  const macs = await Promise.all(plan.keys.map(async ({ hmac }) => hmac.mac(head, body)))
  return plan.scheme.format(stamped, macs)
}

export function runSignSync(plan: SignPlan<SyncHmacEngine>, draft: SignDraft): SignedHeaders {
  const { stamped, head, body } = prepareDraft(plan, draft)
  return plan.scheme.format(
    stamped,
    plan.keys.map(({ hmac }) => hmac.mac(head, body)),
  )
}

/**
 * The signed bytes of a draft. What stands before the body is read back from the header that will
 * be sent, so that a receiver cannot see it otherwise; what a receiver would refuse is thrown here.
 */
function prepareDraft(plan: SignPlan<HmacEngine>, draft: SignDraft) {
  const { body: content, id, timestamp } = readDraft(draft)
  if (id !== undefined && !(typeof id === 'string' && /^[\t -~\u0080-\u00ff]+$/u.test(id))) {
    fail('headers_invalid', 'id goes into a header; it must be Latin-1 text without line breaks')
  }
  const given = inMemory(content)
  if (given === undefined)
    fail('body_not_raw', 'sign takes the body as text or bytes, as it will be sent')
  const body = typeof given === 'string' ? utf8(given) : new Uint8Array(given)
  const stamped: StampedDraft = {
    ...draft,
    timestamp: (timestamp as number | undefined) ?? readClock(plan.now),
  }
  const blanks = plan.keys.map(() => new Uint8Array(32))
  const parts = plan.scheme.parse(headerReader(plan.scheme.format(stamped, blanks)))
  if (isRejected(parts)) throw verificationError(parts)
  return { stamped, head: parts.head, body }
}
