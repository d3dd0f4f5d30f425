import type { Attempt } from './attempt.ts'
import type { TimeMode } from './clock.ts'
import type { ReceiverFault } from './faults.ts'
import type { KitSettings } from './kit-options.ts'
import type { Message } from './message.ts'
import type { Random } from './random.ts'
import type { Sender } from './sender.ts'
import type { Scene, Subject, Telling } from './story.ts'
import type { Receiver } from './target.ts'

/** One thing to show. */
export interface Scenario {
  readonly id: string
  readonly title: string
  /** Run only when it is named. */
  readonly isOptional?: boolean
  /** Waits that nobody spends in `real`. */
  readonly isLong?: boolean
  /** Whether the provider's story has the parts for it. */
  readonly fits?: (settings: KitSettings) => boolean
  /** Why it cannot be shown here. */
  readonly unshown?: (settings: KitSettings, receiver: Receiver) => string | undefined
  /** Resolves to what was shown, or rejects with a `ProofFailure` or `NotShown`. */
  readonly run: (stage: Stage) => Promise<string>
}

/** What a scenario works with. */
export interface Stage {
  readonly settings: KitSettings
  readonly receiver: Receiver
  readonly sender: Sender
  readonly mode: TimeMode
  readonly random: Random
  /** Unix seconds that an attempt is signed with now. */
  readonly signingTime: () => number
  /** A new resource, its order made. */
  readonly subject: (of?: () => Subject) => Promise<Subject>
  /** Notes what a message is about, for the time line of a failure. */
  readonly about: (subject: Subject, message: Message) => Message
  /** An event of the story, by default of this moment on the sender's clock. */
  readonly tell: (subject: Subject, telling: Telling | undefined, scene?: Scene) => Message
  /** The type of the event that books. */
  readonly bookingType: string
  /** The event that books. */
  readonly booking: (subject: Subject, scene?: Scene) => Message
  readonly see: (subject: Subject) => Promise<Seen>
  /** Notes what is no delivery, for the time line of a failure. */
  readonly step: (subject: Subject, what: string) => void
  /** The attempts about a subject so far, by time. */
  readonly attemptsOf: (subject: Subject) => readonly Attempt[]
  /** Waits until work is over; `effects` is what is then expected, and `agree` what else. */
  readonly settled: (
    subjects: readonly Subject[],
    effects: number,
    agree?: (seen: readonly Seen[]) => boolean,
  ) => Promise<Seen[]>
}

/** An observation in its long form. */
export interface Seen {
  readonly effects: number
  readonly state: unknown
}

/** Why a receiver is not ready: what was seen, one cause, one fix. */
export class ProofFailure extends Error {
  override readonly name = 'ProofFailure'
  readonly diagnosis: Diagnosis
  readonly subject: Subject

  constructor(seen: string, diagnosis: Diagnosis, subject: Subject) {
    super(seen)
    this.diagnosis = diagnosis
    this.subject = subject
  }
}

/** Nothing was wrong, and nothing was shown either. */
export class NotShown extends Error {
  override readonly name = 'NotShown'
}

export interface Diagnosis {
  /** Failures of one fault are told together; default: it stands alone. */
  readonly fault?: ReceiverFault
  readonly cause: string
  readonly fix: string
  /** Whether it is the set-up of the run that is wrong, if the first delivery meets it. */
  readonly isSetUp?: true
}
