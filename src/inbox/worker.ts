import { type Attempt, attempt } from './attempt.ts'
import type { Settings } from './settings.ts'
import { bare } from './signals.ts'
import type { Claim } from './store.ts'
import { later, within } from './timers.ts'

export interface DrainOptions {
  /** No new work begins after so long. */
  readonly maxMs?: number | undefined
  readonly maxEvents?: number | undefined
}

/** What takes rows that are due and works on them. */
export interface Worker {
  readonly isStopped: () => boolean
  readonly run: (claim: Claim) => Attempt['ended']
  /** Something is due now. */
  readonly nudge: () => void
  readonly start: () => void
  readonly stop: (timeoutMs: number) => Promise<boolean>
  readonly drain: (options: DrainOptions) => Promise<number>
}

const STATS_EVERY_MS = 60_000
const PURGE_EVERY_MS = 3_600_000
/** What is cancelled has so long to be given back. */
const CANCEL_MS = 2_000

export function createWorker(settings: Settings, purge: () => Promise<unknown>): Worker {
  const { store, leaseMs, concurrency, pollMs, tell, clock } = settings
  const running = new Set<Attempt>()
  /** All that `stop` waits for: attempts, and what may yet begin some. */
  const busy = new Set<Promise<unknown>>()
  let loop: { isOver: boolean } | undefined
  let isStopped = false
  let wake = () => {}

  const track = <T>(work: Promise<T>): Promise<T> => {
    busy.add(work)
    const done = () => busy.delete(work)
    work.then(done, done)
    return work
  }

  const run = (claim: Claim) => {
    const work = attempt(settings, claim)
    running.add(work)
    return track(work.ended).finally(() => {
      running.delete(work)
      wake()
    })
  }

  const pause = () =>
    new Promise<void>((resolve) => {
      const cancel = later(pollMs, resolve)
      wake = () => {
        cancel()
        resolve()
      }
    })

  const backlog = async () => tell({ kind: 'backlog', ...(await store.stats()) })
  /** Runs in the background; a store that fails is told of, and asked again later. */
  const chore = (everyMs: number, operation: 'stats' | 'purge', work: () => Promise<unknown>) => {
    let last = Number.NEGATIVE_INFINITY
    return () => {
      if (clock() - last < everyMs) return
      last = clock()
      work().catch((error: unknown) =>
        tell({ kind: 'store_failure', operation, error: bare(error) }),
      )
    }
  }

  const turn = async (state: { isOver: boolean }) => {
    const chores = [chore(STATS_EVERY_MS, 'stats', backlog), chore(PURGE_EVERY_MS, 'purge', purge)]
    while (!state.isOver) {
      for (const due of chores) due()
      const room = concurrency - running.size
      let claims: Claim[] = []
      // Prepared before the claim, so that a nudge during it is not lost.
      const paused = pause()
      try {
        if (room > 0) claims = await store.claim({ limit: room, leaseMs })
      } catch (error) {
        tell({ kind: 'store_failure', operation: 'claim', error: bare(error) })
      }
      for (const claim of claims) run(claim)
      await paused
    }
  }

  const drain = async ({
    maxMs = Number.POSITIVE_INFINITY,
    maxEvents = Number.POSITIVE_INFINITY,
  }: DrainOptions) => {
    const begun = clock()
    const wasStopped = isStopped
    let count = 0
    while (count < maxEvents && clock() - begun < maxMs && isStopped === wasStopped) {
      const limit = Math.min(concurrency, maxEvents - count)
      const claims = await store.claim({ limit, leaseMs })
      if (claims.length === 0) break
      await Promise.all(claims.map(run))
      count += claims.length
    }
    return count
  }

  return {
    run,
    isStopped: () => isStopped,
    nudge: () => wake(),
    start() {
      isStopped = false
      if (loop !== undefined) return
      loop = { isOver: false }
      track(turn(loop))
    },
    async stop(timeoutMs) {
      isStopped = true
      if (loop !== undefined) loop.isOver = true
      loop = undefined
      wake()
      const all = () => Promise.allSettled(busy)
      if ((await within(timeoutMs, all())) !== undefined) return true
      for (const work of running) work.cancel('the worker stopped')
      await within(Math.min(timeoutMs, CANCEL_MS), all())
      return false
    },
    drain: (options) => track(drain(options)),
  }
}
