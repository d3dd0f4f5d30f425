import { fail } from '../core/errors.ts'
import { hasMethod, readNames } from '../core/options.ts'
import type { Gate } from './gate.ts'
import { SENDER_OPTIONS, type SenderOptions } from './sender-options.ts'
import { paymosStory, type Story, type Subject } from './story.ts'

/** What became of a resource, as your own tables say it. */
export type Observation =
  | number
  | {
      /** How often it was booked: shipped, credited, charged. This is the number that must be one. */
      readonly effects: number
      /** Anything else that a repeat must not change, such as the order's status. */
      readonly state?: unknown
    }

type Maybe<T> = T | Promise<T>

/** The part of a gate that the kit moves; through HTTP, if the receiver is another process. */
export type GateControl = {
  readonly [Name in 'hold' | 'release' | 'abandon' | 'failOnce']?: (() => Maybe<void>) | undefined
} & Partial<Pick<Gate, 'arrived'>>

export interface ReconcileFindings {
  /** Resources that should be booked and are not. */
  readonly missing: readonly string[]
  /** Resources that are booked more than once. */
  readonly double: readonly string[]
}

export interface KitOptions extends Omit<SenderOptions, 'scheme'> {
  /** What your tables say about a resource, such as the number of parcels for `inv_…`. */
  readonly observe: (id: string, subject: Subject) => Maybe<Observation>
  /** Makes the order that an event will be about, if a receiver books nothing without one. */
  readonly prepare?: ((subject: Subject) => unknown) | undefined
  /**
   * Waits until work behind the answer is over, such as `inbox.drain()`. Default: asks `observe` until
   * it says what is expected and says so for `quietMs`, or `settleMs` are over.
   */
  readonly settle?: (() => unknown) | undefined
  /** Default 300. */
  readonly quietMs?: number | undefined
  /** Default 5,000. */
  readonly settleMs?: number | undefined
  /** How often work on a resource has begun; catches second runs that change nothing yet. */
  readonly started?: ((id: string) => Maybe<number>) | undefined
  /** Books as your support does, without a webhook: for P4. */
  readonly bookByHand?: ((id: string, subject: Subject) => unknown) | undefined
  /** Stops the work where it begins: for overlaps, failures and crashes that are made, not hoped for. */
  readonly gate?: GateControl | undefined
  /** What a crash does to a receiver in this process: forget everything but the tables. */
  readonly restart?: (() => unknown) | undefined
  /** Your nightly comparison with the provider's API, given what that calls paid: for P5. */
  readonly reconcile?: ((paid: readonly string[]) => Maybe<ReconcileFindings>) | undefined
  /** The events; default: those of Paymos. */
  readonly story?: Story | undefined
  /** Scenarios that are not run. */
  readonly without?: readonly string[] | undefined
  /** Scenarios that are run only if they are named, such as `deposits`. */
  readonly also?: readonly string[] | undefined
  /** Rounds of parallel copies; default 20. */
  readonly rounds?: number | undefined
  /** Makes the same choices as a report with this seed. Identifiers are new in every run. */
  readonly seed?: number | undefined
  /** How a report says that a scenario is run again; default: as a call of the kit. */
  readonly replay?: ((id: string, seed: number) => string) | undefined
}

export interface KitSettings extends KitOptions {
  readonly sender: SenderOptions
  readonly story: Story
  readonly quietMs: number
  readonly settleMs: number
  readonly rounds: number
  readonly seed: number
  readonly replay: (id: string, seed: number) => string
}

const KIT_OPTIONS = [
  ...['observe', 'prepare', 'settle', 'quietMs', 'settleMs', 'started', 'bookByHand', 'gate'],
  ...['restart', 'reconcile', 'story', 'without', 'also', 'rounds', 'seed', 'replay'],
]
const HOOKS = [
  ...['observe', 'prepare', 'settle', 'started', 'bookByHand', 'restart', 'reconcile', 'replay'],
]
const callOfKit = (id: string, seed: number) => `replayKit({ …, seed: ${seed} }).run(['${id}'])`

/** Checks what a kit is given. Throws `WebhookConfigError` for the first mistake. */
export function readKitOptions(options: KitOptions): KitSettings {
  const given = readNames(options, [...SENDER_OPTIONS, ...KIT_OPTIONS], 'testing_invalid')
  if (!hasMethod(given, 'observe')) {
    fail('testing_invalid', 'observe must be a function: it says how often a resource is booked')
  }
  for (const name of HOOKS) {
    if (given[name] !== undefined && !hasMethod(given, name)) {
      fail('testing_invalid', `${name} must be a function`)
    }
  }
  const { story = paymosStory, quietMs = 300, settleMs = 5_000, rounds = 20 } = options
  const { seed = Math.floor(Math.random() * 1_000_000), replay = callOfKit } = options
  for (const [name, value] of Object.entries({ quietMs, settleMs, rounds, seed })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      fail('testing_invalid', `${name} must be a whole number from 0`)
    }
  }
  const sender = Object.fromEntries(
    SENDER_OPTIONS.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  )
  return {
    ...options,
    sender: { ...(sender as unknown as SenderOptions), scheme: story.scheme },
    ...{ story, quietMs, settleMs, rounds, seed, replay },
  }
}
