import type { InboxStore, StoreMode } from '../../dist/inbox/index.js'

const OPERATIONS = [
  'record',
  'claim',
  'settle',
  'giveBack',
  'renew',
  'redrive',
  'taken',
  'find',
  'stats',
  'purge',
] as const

export interface Fault {
  readonly operation: (typeof OPERATIONS)[number]
  /**
   * `before`: nothing is done. `during` (of `settle` alone): `apply` is over, the commit is not.
   * `after`: it is done, and the reply is lost.
   */
  readonly point: 'before' | 'during' | 'after'
  /**
   * `throws`, as a connection that breaks. `dies`, as a process that is killed: its promises never
   * settle, and no later operation does anything. `hangs`: this one alone never settles.
   */
  readonly kind: 'throws' | 'dies' | 'hangs'
  /** Which call of the operation, from 1; default: every one. */
  readonly call?: number
}

export type FaultyStore<Tx, Mode extends StoreMode> = InboxStore<Tx, Mode> & {
  /** As a process that is killed at this moment. */
  readonly die: () => void
  /** Settles when that has happened. */
  readonly died: Promise<void>
}

export const BROKEN = 'the connection broke'

/**
 * A store as one process sees it that fails where a test says. Another process has a wrapper of its
 * own around the same store.
 */
export function faultyStore<Tx, Mode extends StoreMode>(
  store: InboxStore<Tx, Mode>,
  faults: readonly Fault[] = [],
): FaultyStore<Tx, Mode> {
  let dead = false
  let breakOff = (_: Error): void => {}
  /** The database rolls back what a process that died has left open. */
  const death = new Promise<never>((_, reject) => {
    breakOff = reject
  })
  const died = death.catch(() => {})
  const die = () => {
    dead = true
    breakOff(new Error(BROKEN))
  }
  const calls = new Map<string, number>()

  const strike = (fault: Fault | undefined): Promise<never> | undefined => {
    if (fault?.kind === 'dies') die()
    if (fault?.kind === 'throws') throw new Error(BROKEN)
    return dead || fault !== undefined ? never() : undefined
  }

  const wrap = (operation: Fault['operation']) => {
    const original = store[operation] as (...values: unknown[]) => Promise<unknown>
    return async (...values: unknown[]) => {
      const call = (calls.get(operation) ?? 0) + 1
      calls.set(operation, call)
      const at = (point: Fault['point']) =>
        faults.find(
          (fault) =>
            fault.operation === operation && fault.point === point && (fault.call ?? call) === call,
        )
      await strike(at('before'))
      const during = at('during')
      if (typeof values[1] === 'function') values[1] = mortal(values[1] as Apply, during)
      const result = await original.call(store, ...values).catch((error: unknown) => {
        // A rollback that nobody is left to hear of.
        if (dead || during?.kind === 'hangs') return never()
        throw error
      })
      await strike(at('after'))
      return result
    }
  }

  type Apply = (tx: unknown) => unknown
  /** What runs in a transaction, which may end without its commit. */
  const mortal =
    (apply: Apply, during: Fault | undefined): Apply =>
    (tx) => {
      const end = (outcome: unknown) => {
        if (during?.kind === 'dies') die()
        if (during !== undefined) throw new Error(BROKEN)
        return outcome
      }
      const result = apply(tx)
      return result instanceof Promise ? Promise.race([result, death]).then(end) : end(result)
    }

  return {
    ...store,
    ...Object.fromEntries(OPERATIONS.map((operation) => [operation, wrap(operation)])),
    die,
    died,
  }
}

function never(): Promise<never> {
  return new Promise(() => {})
}
