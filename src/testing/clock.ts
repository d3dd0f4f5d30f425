import { sleep } from './timers.ts'

/** The sender's clock, and the receiver's if that takes one. Global timers are never touched. */
export interface TestClock {
  /** Milliseconds since 1970: for an inbox, its store, a cache. */
  readonly now: () => number
  /** Unix seconds: for `verify` and `webhook`. */
  readonly seconds: () => number
  readonly advance: (ms: number) => void
}

/**
 * A clock that runs with the system's and is moved ahead by `advance`. Give it to the receiver and to
 * `replayKit`, and sixteen hours pass on both sides in milliseconds.
 */
export function createClock(): TestClock {
  let ahead = 0
  const now = () => Date.now() + ahead
  return {
    now,
    seconds: () => now() / 1000,
    advance(ms) {
      ahead += ms
    },
  }
}

/**
 * `skip`: waits are left out, and each attempt is signed with the real time. `virtual`: waits move a
 * clock that the receiver shares. `real`: waits are waited for.
 */
export type TimeMode = 'skip' | 'virtual' | 'real'

export interface Timeline {
  readonly mode: TimeMode
  /** The sender's time, which every wait moves. */
  readonly now: () => number
  /** Unix seconds to sign an attempt with. */
  readonly signingTime: () => number
  readonly wait: (ms: number) => Promise<void>
}

export function createTimeline(mode: TimeMode, clock: TestClock = createClock()): Timeline {
  const signing = mode === 'virtual' ? clock.now : Date.now
  return {
    mode,
    now: mode === 'real' ? Date.now : clock.now,
    signingTime: () => Math.floor(signing() / 1000),
    async wait(ms) {
      if (mode === 'real') await sleep(ms)
      else clock.advance(ms)
    },
  }
}
