import { WebhookConfigError } from '../core/errors.ts'
import { sleep } from './timers.ts'

export interface Limits {
  /** Requests in all; default 10,000. */
  readonly total?: number | undefined
  /** Requests in a second; default 1,000 on this machine, 20 to another host. */
  readonly perSecond?: number | undefined
}

/** So many requests were sent that no more may go. */
export class TotalReached extends WebhookConfigError {
  readonly total: number

  constructor(total: number) {
    super('testing_invalid', `${total} requests are sent; raise limits.total`)
    this.total = total
  }
}

/** Waits until one more request may go; throws once there were too many. */
export type Pace = () => Promise<void>

export function createPace({
  total,
  perSecond,
}: {
  readonly total: number
  readonly perSecond: number
}): Pace {
  let sent = 0
  let window = { begun: 0, count: 0 }
  return async () => {
    if (++sent > total) throw new TotalReached(total)
    for (;;) {
      const now = Date.now()
      if (now - window.begun >= 1000) window = { begun: now, count: 0 }
      if (window.count < perSecond) break
      await sleep(window.begun + 1000 - now)
    }
    window.count++
  }
}
