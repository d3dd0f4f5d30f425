import { NotShown, type Stage } from '../scenario.ts'
import { orLate, sleep } from '../timers.ts'

export interface Held {
  /** Waits until some work is held, but not for ever: there may be none. */
  readonly arrived: () => Promise<void>
  /** Lets the work go on. */
  readonly release: () => Promise<void>
  /** Throws `NotShown` if no work came to the gate, so that nothing was held. */
  readonly expectArrival: () => void
}

/** Holds all work that begins from now on. */
export async function holdWork(stage: Stage): Promise<Held> {
  const { gate } = stage.settings
  await gate?.hold?.()
  return {
    ...watchGate(stage),
    async release() {
      await gate?.release?.()
    },
  }
}

/** Asks the gate, from now on, whether work has come to it. */
export function watchGate({ settings }: Stage): Omit<Held, 'release'> {
  const { gate, settleMs } = settings
  const coming = gate?.arrived?.().then(() => true)
  let hasCome = coming === undefined
  return {
    async arrived() {
      if (coming) hasCome = await orLate(coming, settleMs, false)
      else await sleep(ARRIVAL_MS)
    },
    expectArrival() {
      if (!hasCome) throw new NotShown('no work came to the gate; does it await gate.pass()?')
    },
  }
}

/** How long work may take to reach a gate that cannot say when. */
const ARRIVAL_MS = 100
