/** Where a receiver's work begins, so that overlaps and crashes are made and not hoped for. */
export interface Gate {
  /** The receiver waits for this where its work on a delivery begins. */
  readonly pass: () => Promise<void>
  /** Whoever comes to the gate from now on waits. */
  readonly hold: () => void
  /** Resolves once somebody waits, or has got the error of `failOnce`. */
  readonly arrived: () => Promise<void>
  /** Lets those through who wait, and everybody behind them. */
  readonly release: () => void
  /** As `release`, but those who wait stay there for ever, as in a process that has died. */
  readonly abandon: () => void
  /** The next one to pass gets an error, also one that waits now. */
  readonly failOnce: () => void
}

/**
 * @example
 * ```ts
 * import { createGate } from 'hookproof/testing'
 *
 * const gate = createGate()
 *
 * export async function book(invoice: string): Promise<void> {
 *   await gate.pass()
 *   console.log('ship', invoice)
 * }
 * ```
 */
export function createGate(): Gate {
  let isClosed = false
  let fails = false
  let waiting: (() => void)[] = []
  const arrivals: (() => void)[] = []
  const open = (those: readonly (() => void)[]) => {
    isClosed = false
    waiting = []
    for (const resolve of those) resolve()
  }
  const announce = () => {
    for (const resolve of arrivals.splice(0)) resolve()
  }
  return {
    async pass() {
      if (isClosed) {
        announce()
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
      }
      if (!fails) return
      fails = false
      announce()
      throw new Error('the gate lets this attempt fail')
    },
    hold() {
      isClosed = true
    },
    arrived: () =>
      new Promise((resolve) => {
        if (waiting.length > 0) resolve()
        else arrivals.push(resolve)
      }),
    release: () => open(waiting),
    abandon: () => open([]),
    failOnce() {
      fails = true
    },
  }
}
