import { isText } from '../core/envelope.ts'
import { fail } from '../core/errors.ts'
import type { Scheme } from '../core/scheme.ts'
import { paymosState, type ResourceState } from './ranks.ts'
import type { Advance, Claim, InboxStore, Snapshot, StoreMode, Waits } from './store.ts'
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

/** An item that is passed must be there: without one, the key is about the resource. */
export type KeyParts = [name: string] | [name: string, item: string]

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
  readonly key: (...parts: KeyParts) => string
}

export interface ApplyContext<Mode extends StoreMode> extends PrepareContext {
  /**
   * True for the first caller of `key(name, item)`, ever, if this transaction commits. Book only
   * then. Without `item` it is about the resource.
   */
  readonly once: (...parts: KeyParts) => Answer<Mode, boolean>
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
    key: (...given) => keyOf(claim, given),
  }
}

/** An item that is passed and is not there would be the same key for everything without one. */
function keyOf(claim: Claim, given: KeyParts): string {
  for (const part of given) {
    if (!isText(part)) {
      const what = typeof part === 'string' ? 'blank text' : typeof part
      fail(
        'inbox_invalid',
        `key() and once() take a name, and an item if any, as text, not ${what}`,
      )
    }
  }
  const [name, item = subjectOf(claim)] = given
  return `${name}:${item}`
}

/** The context of one transaction. `onConflict` is called within it. */
export function applyContext(
  subject: Subject,
  { store, scheme }: { readonly store: InboxStore; readonly scheme: Scheme<unknown> },
  tx: unknown,
  onConflict: () => void,
): {
  readonly context: ApplyContext<StoreMode>
  /** Nothing more is done in the transaction. */
  readonly end: () => void
  /** Throws if `apply` did not wait for what it called. */
  readonly assertAwaited: () => void
} {
  const prepared = prepareContext(subject)
  const { id } = subject.claim
  let isOpen = true
  const answers: Watched<unknown>[] = []
  const within = <T>(work: () => Waits<StoreMode, T>): Waits<StoreMode, T> => {
    if (!isOpen) fail('apply_async', 'once() and advance() must be awaited before apply() is over')
    const answer = work()
    if (store.mode === 'sync') return answer
    const watched = Watched.of(answer)
    answers.push(watched)
    return watched
  }
  const noteConflict = (answer: Advance) => {
    if (answer === 'conflict') onConflict()
    return answer
  }
  const advance = (state: ResourceState | undefined) => {
    const answer = store.advance(tx, snapshotOf(subject, scheme, state))
    return typeof answer === 'string' ? noteConflict(answer) : answer.then(noteConflict)
  }
  const context = {
    ...prepared,
    once: (...given: KeyParts) => within(() => store.once(tx, prepared.key(...given), id)),
    advance: (state?: ResourceState) => within(() => advance(state)),
  }
  return {
    // Synchronous exactly where the store is.
    context: context as ApplyContext<StoreMode>,
    end() {
      isOpen = false
    },
    assertAwaited() {
      if (answers.every(({ isAwaited, isSettled }) => isAwaited && isSettled)) return
      // Without await every answer is true.
      fail('apply_async', 'apply() must await each once() and advance() before it is over')
    },
  }
}

/** A promise that knows whether anybody has waited for it. */
class Watched<T> extends Promise<T> {
  isAwaited = false
  isSettled = false

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of<T>(answer: T | Promise<T>): Watched<T> {
    const watched = new Watched<T>((resolve) => resolve(answer))
    const settle = () => {
      watched.isSettled = true
    }
    super.prototype.then.call(watched, settle, settle)
    return watched
  }

  // biome-ignore lint/suspicious/noThenProperty: what await calls of a class of its own
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true
    return super.then(onFulfilled, onRejected)
  }
}

function snapshotOf(
  { claim, event }: Subject,
  scheme: Scheme<unknown>,
  given: ResourceState | undefined,
): Snapshot {
  const { id: deliveryId, type } = claim
  const { kind, id } = claim.resource ?? noResource(type)
  const isKnown = given === undefined && scheme.name === 'paymos'
  const state = isKnown ? paymosState(type, event) : given
  const { status, isFinal, rank, occurredAt = claim.occurredAt } = Object(state) as ResourceState
  const isWhole = Number.isSafeInteger(rank) && Number.isSafeInteger(occurredAt)
  if (!isText(status) || typeof isFinal !== 'boolean' || !isWhole) {
    fail(
      'inbox_invalid',
      `advance() needs a state of ${type}: { status, isFinal, rank, occurredAt }, the last two whole numbers`,
    )
  }
  return { kind, id, status, isFinal, rank, occurredAt: Number(occurredAt), deliveryId }
}

function subjectOf({ resource, type }: Claim): string {
  const { kind, id } = resource ?? noResource(type)
  return `${kind}:${id}`
}

function noResource(type: string): never {
  return fail('inbox_invalid', `${type} names no resource: pass an item to key() and once()`)
}
