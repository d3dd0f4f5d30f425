import { fail } from '../core/errors.ts'
import type { Secret } from '../core/secrets.ts'
import type { Attempt, Fault, SendOptions } from './attempt.ts'
import { dispatch } from './dispatch.ts'
import type { Message } from './message.ts'
import { readSenderOptions, type SenderOptions, type SenderSettings } from './sender-options.ts'
import { sleep } from './timers.ts'

/** A delivery on the sender's dashboard. */
export interface DeliveryRecord {
  readonly id: string
  readonly type: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: readonly Attempt[]
  /** The sender's time; absent when no attempt is to come. */
  readonly nextAttemptAt?: number
}

/** Which fault an attempt meets, by its number in the ladder, from 1. */
export type FaultPlan = (attempt: number) => Fault | undefined

export interface DeliverOptions {
  readonly faults?: FaultPlan | undefined
}

export interface RotateOptions {
  /** Where the new secret's signature stands; default `first`. */
  readonly newSecret?: 'first' | 'last' | undefined
}

export interface BurstOptions {
  readonly perSecond: number
}

/** A provider's sender: at least once, at most 11 times by itself. */
export interface Sender {
  /** The sender's time, in milliseconds since 1970. */
  readonly now: () => number
  /** Lets time pass, as `mode` says. */
  readonly wait: (ms: number) => Promise<void>
  /** One attempt, also of an event that is delivered: a sender that crashed repeats it. */
  readonly send: (message: Message, options?: SendOptions) => Promise<Attempt>
  /** So many attempts at the same time. */
  readonly sendCopies: (message: Message, copies: number) => Promise<Attempt[]>
  /** Tries until a 2xx or the end of the ladder. */
  readonly deliver: (message: Message, options?: DeliverOptions) => Promise<DeliveryRecord>
  /** As `deliver`, each as its own time comes. */
  readonly deliverAll: (
    messages: readonly Message[],
    options?: DeliverOptions,
  ) => Promise<DeliveryRecord[]>
  /** One attempt of each, so many a second in real time; those that fail are delivered then. */
  readonly burst: (messages: readonly Message[], options: BurstOptions) => Promise<DeliveryRecord[]>
  /** A new cycle for a failed event, by hand, under the same id. Throws for any other. */
  readonly resend: (id: string, options?: DeliverOptions) => Promise<DeliveryRecord>
  /** Signs with both secrets for 24 hours, then with the new one. */
  readonly rotate: (secret: Secret, options?: RotateOptions) => void
  /** The 100 newest events, newest first. */
  readonly recent: () => DeliveryRecord[]
  /** Every attempt, in order. */
  readonly attempts: () => readonly Attempt[]
  /** Ends the process, if the target is one. */
  readonly close: () => Promise<void>
}

interface Entry {
  readonly message: Message
  readonly attempts: Attempt[]
  status: DeliveryRecord['status']
  /** How far the present cycle has come. */
  step: number
  nextAt: number | undefined
}

/**
 * Imitates a provider's sender: identical bytes under a fresh time at every attempt, its ladder, its
 * time-out, its dashboard. Throws `WebhookConfigError` for a mistake in the options.
 *
 * @example
 * ```ts
 * import { createSender, paymosEvent, toMessage } from 'hookproof/testing'
 * import { webhook } from 'hookproof/fetch'
 *
 * const secret = 'test_only_secret'
 * const target = webhook({ secret }, ({ event }) => console.log(event.event_type))
 * const sender = createSender({ target, secret })
 * const { status, attempts } = await sender.deliver(toMessage(paymosEvent('invoice.paid')), {
 *   faults: (attempt) => (attempt < 3 ? 'lostResponse' : undefined),
 * })
 * console.log(status, attempts.length)
 * ```
 */
export function createSender(options: SenderOptions): Sender {
  return openSender(readSenderOptions(options))
}

export function openSender(
  settings: SenderSettings,
  onAttempt: (attempt: Attempt) => void = () => {},
): Sender {
  const { timeline, ladder, rotationMs } = settings
  const entries = new Map<string, Entry>()
  const log: Attempt[] = []
  let current = settings.secret
  let rotation: { readonly until: number; readonly secrets: readonly Secret[] } | undefined

  const signWith = () => {
    const isOn = rotation !== undefined && timeline.now() < rotation.until
    return isOn && rotation ? rotation.secrets : [current]
  }
  const entryOf = (message: Message): Entry => {
    const known = entries.get(message.id)
    if (known !== undefined) return known
    const entry: Entry = { message, attempts: [], status: 'pending', step: 0, nextAt: undefined }
    entries.set(message.id, entry)
    return entry
  }
  const send = async (message: Message, options: SendOptions = {}): Promise<Attempt> => {
    const entry = entryOf(message)
    const { id, type } = message
    const at = timeline.now()
    const { fault, note, secret = signWith() } = options
    const result = await dispatch(settings, message, { ...options, secret })
    const number = entry.attempts.length + 1
    const attempt: Attempt = {
      ...{ id, type, number, at, ...result },
      ...(fault && { fault }),
      ...(note && { note }),
    }
    entry.attempts.push(attempt)
    log.push(attempt)
    onAttempt(attempt)
    if (attempt.outcome === 'delivered') {
      entry.status = 'delivered'
      entry.nextAt = undefined
    }
    return attempt
  }
  /** One attempt, and what it means for the ladder. */
  const climb = async (entry: Entry, fault?: Fault) => {
    const { outcome } = await send(entry.message, { fault })
    if (outcome === 'delivered') return
    const gap = ladder[entry.step]
    entry.step++
    entry.nextAt = gap === undefined ? undefined : timeline.now() + gap
    if (gap === undefined) entry.status = 'failed'
  }
  /** Works on the entry that is due first, until none is pending. */
  const run = async (those: readonly Entry[], { faults }: DeliverOptions) => {
    for (;;) {
      const pending = those.filter(({ status }) => status === 'pending')
      const [entry] = pending.sort((a, b) => (a.nextAt ?? 0) - (b.nextAt ?? 0))
      if (entry === undefined) return those.map(record)
      const fault = faults?.(entry.step + 1)
      const rest = (entry.nextAt ?? 0) - timeline.now()
      // Nobody notices whether a request that never arrives was waited for.
      const isFelt = timeline.mode !== 'real' || !(fault === 'refuse' || fault === 'lostRequest')
      if (rest > 0 && isFelt) await timeline.wait(rest)
      await climb(entry, fault)
    }
  }

  return {
    now: timeline.now,
    wait: timeline.wait,
    send,
    sendCopies: (message, copies) =>
      Promise.all(Array.from({ length: copies }, () => send(message))),
    async deliver(message, options = {}) {
      const [delivered] = await run([entryOf(message)], options)
      return delivered as DeliveryRecord
    },
    deliverAll: (messages, options = {}) => run(messages.map(entryOf), options),
    async burst(messages, { perSecond }) {
      const all = messages.map(entryOf)
      const sending = all.map(async (entry, index) => {
        await sleep((index * 1000) / perSecond)
        await climb(entry)
      })
      await Promise.all(sending)
      return run(all, {})
    },
    async resend(id, options = {}) {
      const entry = entries.get(id)
      if (entry === undefined)
        fail('testing_invalid', 'resend takes the id of an event that was sent')
      if (entry.status !== 'failed') {
        fail('testing_invalid', `only a failed event is resent, and this one is ${entry.status}`)
      }
      Object.assign(entry, { status: 'pending', step: 0, nextAt: undefined })
      const [resent] = await run([entry], options)
      return resent as DeliveryRecord
    },
    rotate(secret, { newSecret = 'first' } = {}) {
      const secrets = newSecret === 'first' ? [secret, current] : [current, secret]
      rotation = { until: timeline.now() + rotationMs, secrets }
      current = secret
    },
    recent: () => [...entries.values()].reverse().slice(0, 100).map(record),
    attempts: () => log,
    close: settings.receiver.close,
  }
}

function record({ message, status, attempts, nextAt }: Entry): DeliveryRecord {
  const { id, type } = message
  const next = status === 'pending' && nextAt !== undefined ? { nextAttemptAt: nextAt } : {}
  return { id, type, status, attempts: [...attempts], ...next }
}
