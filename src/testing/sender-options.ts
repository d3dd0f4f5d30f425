import { fail } from '../core/errors.ts'
import { readNames } from '../core/options.ts'
import type { Scheme } from '../core/scheme.ts'
import type { Secret } from '../core/secrets.ts'
import { createSigner } from '../index.ts'
import { paymos } from '../schemes/paymos.ts'
import { createTimeline, type TestClock, type Timeline, type TimeMode } from './clock.ts'
import { LADDER } from './ladder.ts'
import { createPace, type Limits, type Pace } from './pacing.ts'
import { openTarget, type Receiver, type Target } from './target.ts'

export interface SenderOptions {
  readonly target: Target
  /** What the receiver verifies with. */
  readonly secret: Secret
  /** Default: Paymos. */
  readonly scheme?: Scheme<unknown> | undefined
  /** Default: `virtual` with a clock, else `skip`. */
  readonly mode?: TimeMode | undefined
  /** One that the receiver shares. */
  readonly clock?: TestClock | undefined
  /** Milliseconds from a failure to the next attempt; default: `LADDER`. */
  readonly ladder?: readonly number[] | undefined
  /** How long one attempt may take; default 10,000. */
  readonly timeoutMs?: number | undefined
  /** How long an attempt is waited for that is known to hang, but in `real`; default 250. */
  readonly graceMs?: number | undefined
  /** How long both secrets sign after a rotation; default 24 hours. */
  readonly rotationMs?: number | undefined
  /** The one host besides this machine that `target` may name. */
  readonly allowHost?: string | undefined
  readonly limits?: Limits | undefined
}

export interface SenderSettings {
  readonly receiver: Receiver
  readonly secret: Secret
  readonly scheme: Scheme<unknown>
  readonly timeline: Timeline
  readonly ladder: readonly number[]
  readonly timeoutMs: number
  readonly graceMs: number
  readonly rotationMs: number
  readonly pace: Pace
}

/** All but the scheme, which a kit takes from its story. */
export const SENDER_OPTIONS: readonly string[] = [
  ...['target', 'secret', 'mode', 'clock', 'ladder', 'timeoutMs', 'graceMs'],
  ...['rotationMs', 'allowHost', 'limits'],
]
const MODES = ['skip', 'virtual', 'real']
const DAY_MS = 86_400_000

/** Checks what a sender is given. Throws `WebhookConfigError` for the first mistake. */
export function readSenderOptions(options: SenderOptions): SenderSettings {
  readNames(options, [...SENDER_OPTIONS, 'scheme'], 'testing_invalid')
  const { target, secret, scheme = paymos, clock, allowHost, limits = {} } = options
  const { mode = clock ? 'virtual' : 'skip', ladder = LADDER } = options
  if (!MODES.includes(mode)) fail('testing_invalid', `mode must be one of ${MODES.join(', ')}`)
  if (mode === 'virtual' && clock === undefined) {
    fail('testing_invalid', "mode: 'virtual' needs the clock that the receiver uses: createClock()")
  }
  if (!Array.isArray(ladder)) fail('testing_invalid', 'ladder must be a list of milliseconds')
  for (const gap of ladder) milliseconds('each step of the ladder', gap, 0)
  // Throws here, not at the first delivery, for a secret that no receiver takes.
  createSigner({ secret, scheme })
  const receiver = openTarget(target, allowHost)
  const { total = 10_000, perSecond = receiver.isLoopback ? 1_000 : 20 } = limits
  return {
    receiver,
    secret,
    scheme,
    timeline: createTimeline(mode, clock),
    ladder,
    timeoutMs: milliseconds('timeoutMs', options.timeoutMs, 10_000),
    graceMs: milliseconds('graceMs', options.graceMs, 250),
    rotationMs: milliseconds('rotationMs', options.rotationMs, DAY_MS),
    pace: createPace({
      total: milliseconds('limits.total', total, 0),
      perSecond: milliseconds('limits.perSecond', perSecond, 0),
    }),
  }
}

function milliseconds(name: string, value: unknown, fallback: number): number {
  if (value === undefined) return fallback
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    fail('testing_invalid', `${name} must be a whole number from 1`)
  }
  return value as number
}
