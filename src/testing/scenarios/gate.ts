import type { Stage } from '../scenario.ts'
import { orLate, sleep } from '../timers.ts'

export interface Held {
  /** Lets the work go on. */
  (): Promise<void>
  /** Waits until some work is held, but not for ever: there may be none. */
  readonly arrived: () => Promise<boolean>
}

/** Holds all work that begins from now on. */
export async function holdWork({ settings }: Stage): Promise<Held> {
  const { gate = {} } = settings
  await gate.hold?.()
  const release = async () => {
    await gate.release?.()
  }
  const arrived = async () => {
    if (gate.arrived === undefined) {
      await sleep(ARRIVAL_MS)
      return true
    }
    const came = gate.arrived().then(() => true)
    return orLate(came, settings.settleMs, false)
  }
  return Object.assign(release, { arrived })
}

/** How long work may take to reach a gate that cannot say when. */
const ARRIVAL_MS = 100
