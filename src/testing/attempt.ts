import type { SignedHeaders } from '../core/scheme.ts'
import type { Secret } from '../core/secrets.ts'

/**
 * What goes wrong with one attempt.
 * `refuse`: nobody listens. `lostRequest`: it never arrives. `lostResponse`: it arrives, and the answer
 * is lost. `hang`: the receiver is known to take longer than the sender waits, so that this wait is
 * cut short. `cutSocket`: the connection ends in the middle of the body. `slowBody`: the body comes
 * in pieces.
 */
export type Fault = 'refuse' | 'lostRequest' | 'lostResponse' | 'hang' | 'cutSocket' | 'slowBody'

/** One attempt, as the sender's dashboard shows it. */
export interface Attempt {
  readonly id: string
  readonly type: string
  /** From 1; a resend counts on. */
  readonly number: number
  /** The sender's time, in milliseconds since 1970. */
  readonly at: number
  /** `delivered`: a status from 200 to 299. `status`: any other. */
  readonly outcome: 'delivered' | 'status' | 'refused' | 'broken' | 'timeout'
  /** What the receiver answered, whether the sender saw it or not. */
  readonly status?: number
  /** How long the answer took, in real time. */
  readonly durationMs: number
  readonly fault?: Fault
  /** What was done to it. */
  readonly note?: string
}

export interface SendOptions {
  readonly fault?: Fault | undefined
  /** Instead of those that the sender signs with now. */
  readonly secret?: Secret | readonly Secret[] | undefined
  /** Unix seconds, default: the sender's time. */
  readonly timestamp?: number | undefined
  /** Changes headers after signing, as a proxy or an attacker does. */
  readonly headers?: ((signed: SignedHeaders) => SignedHeaders) | undefined
  /** Changes the body after signing. */
  readonly body?: ((signed: Uint8Array) => Uint8Array) | undefined
  /** In a few words what these options change, for whoever reads the attempts. */
  readonly note?: string | undefined
}
