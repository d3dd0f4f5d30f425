import { fail } from '../core/errors.ts'
import type { Scheme } from '../core/scheme.ts'
import { paymosState, type ResourceState } from './ranks.ts'
import type { Advance, Claim, InboxStore, StoreMode } from './store.ts'
import type { CancelSignal } from './timers.ts'

/** Of a `sync` store the value itself, else its promise. */
export type Answer<Mode extends StoreMode, T> = Mode extends 'sync' ? T : Promise<T>

/** The event of a type among those that a scheme decodes; `default` takes all of them. */
export type EventOf<E, Type> = Type extends 'default'
  ? E
  : E extends { readonly event_type: infer T } | { readonly type: infer T }
    ? Type extends T
      ? E
      : never
    : E

/** What is done about an event. */
export interface Handler<E, Tx, Mode extends StoreMode, Prepared> {
  /**
   * Whatever may be slow: no transaction is open yet. It may run again for one event, so pass
   * `context.key()` to the APIs you call.
   */
  readonly prepare?:
    | ((event: E, context: PrepareContext) => Prepared | Promise<Prepared>)
    | undefined
  /**
   * The booking, in the transaction that settles the delivery: it takes effect once, or not at all if
   * it throws. On a `sync` store it must not be `async`. Declare the type of `prepared`, which is
   * then compared with what `prepare` gives.
   */
  readonly apply: (
    tx: Tx,
    event: E,
    context: ApplyContext<Mode>,
    prepared: Prepared,
    // biome-ignore lint/suspicious/noConfusingVoidType: a handler returns nothing as a rule.
  ) => Answer<Mode, 'stale' | 'ignored' | void>
}

export interface PrepareContext {
  readonly delivery: Pick<
    Claim,
    'id' | 'type' | 'resource' | 'occurredAt' | 'receivedAt' | 'traceparent'
  >
  /** From 1. */
  readonly attempt: number
  /** Set off when the work is no longer this worker's, takes too long, or the process stops. */
  readonly signal: CancelSignal
  /** `name:kind:id` of the resource, or `name:item`: the same for every attempt and every delivery. */
  readonly key: (name: string, item?: string) => string
}

export interface ApplyContext<Mode extends StoreMode> extends PrepareContext {
  /**
   * True for the first caller of `key(name, item)`, ever, if this transaction commits. Book only
   * then. Without `item` it is about the resource.
   */
  readonly once: (name: string, item?: string) => Answer<Mode, boolean>
  /**
   * Moves the resource's state forward. The events of Paymos need no state; for others, say what
   * the event means.
   */
  readonly advance: (state?: ResourceState) => Answer<Mode, Advance>
}

/** Handlers of any event, as they are called. */
export type AnyHandler = Handler<unknown, unknown, StoreMode, unknown>

export interface Subject {
  readonly claim: Claim
  readonly event: unknown
  readonly signal: CancelSignal
}

export function prepareContext({ claim, signal }: Subject): PrepareContext {
  const { id, type, resource, occurredAt, receivedAt, traceparent, claims } = claim
  return {
    delivery: { id, type, resource, occurredAt, receivedAt, traceparent },
    attempt: claims,
    signal,
    key: (name, item) => `${name}:${item ?? subjectOf(claim)}`,
  }
}

/** The context of one transaction, and what ends it. `onConflict` is called within it. */
export function applyContext(
  subject: Subject,
  { store, scheme }: { readonly store: InboxStore; readonly scheme: Scheme<unknown> },
  tx: unknown,
  onConflict: () => void,
): { readonly context: ApplyContext<StoreMode>; readonly end: () => void } {
  const prepared = prepareContext(subject)
  const { id, type, resource, occurredAt } = subject.claim
  let isOpen = true
  const within = <T>(work: () => T): T => {
    if (isOpen) return work()
    return fail('apply_async', 'once() and advance() must be awaited before apply() is over')
  }
  const noteConflict = (answer: Advance) => {
    if (answer === 'conflict') onConflict()
    return answer
  }
  const advance = (
    state = scheme.name === 'paymos' ? paymosState(type, subject.event) : undefined,
  ) => {
    const { kind, id: resourceId } = resource ?? noResource(type)
    const time = state?.occurredAt ?? occurredAt
    if (state === undefined || time === undefined) {
      fail(
        'inbox_invalid',
        `advance() needs a state of ${type}: { status, isFinal, rank, occurredAt }`,
      )
    }
    const { status, isFinal, rank } = state
    const snapshot = {
      kind,
      id: resourceId,
      status,
      isFinal,
      rank,
      occurredAt: time,
      deliveryId: id,
    }
    const answer = store.advance(tx, snapshot)
    return typeof answer === 'string' ? noteConflict(answer) : answer.then(noteConflict)
  }
  const context = {
    ...prepared,
    once: (name: string, item?: string) =>
      within(() => store.once(tx, prepared.key(name, item), id)),
    advance: (state?: ResourceState) => within(() => advance(state)),
  }
  return {
    // Synchronous exactly where the store is.
    context: context as ApplyContext<StoreMode>,
    end() {
      isOpen = false
    },
  }
}

function subjectOf({ resource, type }: Claim): string {
  const { kind, id } = resource ?? noResource(type)
  return `${kind}:${id}`
}

function noResource(type: string): never {
  return fail('inbox_invalid', `${type} names no resource: pass an item to key() and once()`)
}
