import type { Complaint, Request } from './protocol.ts'

/** What became of one question. */
export type Reply =
  /** The members of an answer, still to be checked. */
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: Mishap; readonly detail: string; readonly stderr?: string }
  /**
   * A line too many, by the question that was put `back` questions before this one. This one has no
   * answer and may not have been put.
   */
  | { readonly kind: 'stray'; readonly back: number; readonly detail: string }

/** An answer that did not come, and is a failure whatever was expected. */
export type Mishap = 'crash' | 'timeout' | 'protocol_error'

/** One running implementation: a child process, or functions in this one. */
export interface Session {
  /** The members of the answer to `hello`. */
  readonly hello: unknown
  /** Whether it can go on after a question that failed, because no two share a process. */
  readonly survives: boolean
  /** Puts one question. After anything but an answer the session is over. */
  ask(request: Request, limitMs: number): Promise<Reply>
  /** Ends it in good order. */
  end(): Promise<Ending>
  /** Ends it at once, with whatever it started. */
  kill(): Promise<void>
}

export interface Ending {
  /** What came behind the last answer. */
  readonly stray?: string
  /** Such as an exit that came too late. */
  readonly note?: string
}

/** Starts an implementation and says hello; a complaint when that does not work. */
export type OpenSession = () => Promise<Session | { readonly complaint: Complaint }>
