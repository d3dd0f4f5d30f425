/** Whether `apply` may wait: not on a store whose one connection holds a transaction open. */
export type StoreMode = 'async' | 'sync'

/** A value, or on an `async` store the promise of one. */
export type Waits<Mode extends StoreMode, T> = Mode extends 'sync' ? T : T | Promise<T>

/** What is recorded of an accepted delivery. */
export interface NewDelivery {
  readonly id: string
  readonly type: string
  readonly resource: { readonly kind: string; readonly id: string } | undefined
  /** Unix seconds. */
  readonly occurredAt: number | undefined
  /** The text of the body; `undefined` when none is to be kept. */
  readonly body: string | undefined
  /** Of the bytes that were signed, in hex. */
  readonly bodySha256: string
  readonly traceparent: string | undefined
  /** How often work on it may begin; one more claim and it is dead. `redrive` raises it. */
  readonly claimLimit: number
}

/** A row that a worker works on, for as long as its lease lasts. */
export interface Claim extends NewDelivery {
  /** How often work on it has begun, this time included. It is the fence: no other claim has it. */
  readonly claims: number
  /** Milliseconds since 1970. */
  readonly receivedAt: number
}

/** How a row ended: `stale` came too late to matter, `ignored` had no handler, `dead` failed too often. */
export type Outcome = 'done' | 'stale' | 'ignored' | 'dead'

export interface StoredDelivery {
  readonly id: string
  readonly type: string
  readonly resource: NewDelivery['resource']
  readonly occurredAt: number | undefined
  /** `undefined` once it was redacted, or when none was kept. */
  readonly body: string | undefined
  /** Milliseconds since 1970, as all times here. */
  readonly receivedAt: number
  /** When work on it may begin; `undefined` once it is settled. */
  readonly dueAt: number | undefined
  readonly processedAt: number | undefined
  readonly outcome: Outcome | undefined
  readonly claims: number
  readonly lastError: string | undefined
}

/** What an event says of its resource; the greater `(isFinal, occurredAt, rank)` is kept. */
export interface Snapshot {
  readonly kind: string
  readonly id: string
  readonly status: string
  readonly isFinal: boolean
  /** Unix seconds. */
  readonly occurredAt: number
  readonly rank: number
  readonly deliveryId: string
}

/**
 * `applied`: the snapshot is the resource's state, now or by this delivery before. `stale`: a greater
 * one was there, or the same from another delivery. `conflict`: two different final states met, and
 * the greater one is kept.
 */
export type Advance = 'applied' | 'stale' | 'conflict'

export interface StoreStats {
  /** Rows that a worker may take now. */
  readonly due: number
  /** Rows under a lease, or waiting for their next attempt. */
  readonly waiting: number
  readonly dead: number
  /** Age of the oldest row that is due, in milliseconds. */
  readonly oldestDueMs: number | undefined
}

export interface PurgeOrder {
  /** Bodies go of rows that were settled longer ago than so many milliseconds; those of dead rows stay. */
  readonly redactOlderMs?: number | undefined
  /** Bodies of dead rows go that died longer ago. */
  readonly redactDeadOlderMs?: number | undefined
  /** Rows that were settled longer ago go, ids included; never dead ones. */
  readonly deleteOlderMs?: number | undefined
  /** Bodies of these resources go at once, whatever the rows' state but due. */
  readonly resourceIds?: readonly string[] | undefined
  /** At most this many rows of each kind. */
  readonly limit: number
}

/** What `check` found wrong, and what to do about it. */
export interface Finding {
  /** `error`: deliveries are lost or handled twice. `warning`: slower, or less durable. */
  readonly level: 'error' | 'warning'
  readonly what: string
  readonly fix: string
}

/**
 * Where an inbox keeps its rows. Every operation is a short transaction of its own on connections
 * that the store owns. `storeConformance` proves an implementation.
 */
export interface InboxStore<Tx = unknown, Mode extends StoreMode = StoreMode> {
  readonly mode: Mode
  /**
   * Inserts the row unless its id is known; of any number of callers with one id, one gets
   * `recorded`. The row is committed when the promise resolves. `onRecord` runs in the transaction of
   * the insert, for the one that is recorded.
   */
  record(
    delivery: NewDelivery,
    onRecord?: (tx: Tx) => Waits<Mode, void>,
  ): Promise<
    | { readonly outcome: 'recorded' }
    | { readonly outcome: 'duplicate'; readonly bodyDiffers: boolean }
  >
  /**
   * Takes rows that are due, the oldest first, or the one with this id, and makes them due again when
   * the lease ends. Counts in `claims`, so that a crash is counted, too.
   */
  claim(order: {
    readonly limit: number
    readonly leaseMs: number
    readonly id?: string | undefined
  }): Promise<Claim[]>
  /**
   * Marks the row settled and runs `apply` in one transaction; what `apply` throws rolls it back and is
   * thrown on. `fenced`: somebody else has claimed or settled the row since, and `apply` did not run, or
   * was rolled back.
   *
   * `abandoned` rejects when nobody waits for `apply` any longer: roll back at once, and see that what
   * `apply` still does with `tx` then fails. A store that cannot do the latter leaves the transaction
   * open until `apply` ends, which then throws.
   */
  settle(
    claim: Claim,
    apply: (tx: Tx) => Waits<Mode, Outcome>,
    abandoned?: Promise<never>,
  ): Promise<'settled' | 'fenced'>
  /** Makes a claimed row due again, or dead. False: it is settled, or somebody else's by now. */
  giveBack(
    claim: Claim,
    how:
      | { readonly retryInMs: number; readonly error: string }
      | { readonly dead: true; readonly error: string },
  ): Promise<boolean>
  /** Extends a lease from now on. False: the row is settled, or somebody else's by now. */
  renew(claim: Claim, leaseMs: number): Promise<boolean>
  /** Makes rows of that outcome due again, with so many claims more. Gives how many there were. */
  redrive(order: {
    readonly ids: readonly string[]
    readonly outcome: Exclude<Outcome, 'done'>
    readonly claims: number
  }): Promise<number>
  /** In the transaction of `settle`: true for the first caller of a key, ever. */
  once(tx: Tx, key: string, deliveryId: string): Waits<Mode, boolean>
  /** In the transaction of `settle`: moves the resource's state forward. */
  advance(tx: Tx, snapshot: Snapshot): Waits<Mode, Advance>
  /** The keys of `once` that were taken, of those asked for. */
  taken(keys: readonly string[]): Promise<string[]>
  find(by: {
    readonly id?: string | undefined
    readonly resourceId?: string | undefined
    readonly outcome?: Outcome | undefined
    readonly limit?: number | undefined
  }): Promise<StoredDelivery[]>
  stats(): Promise<StoreStats>
  purge(order: PurgeOrder): Promise<{ readonly redacted: number; readonly deleted: number }>
  /** Creates or updates the tables, step by step; safe to call at every start, from many processes. */
  migrate(): Promise<void>
  check(): Promise<Finding[]>
  close(): Promise<void>
}
