import { NotShown, type Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { orLate, sleep } from '../timers.ts'

export interface Watch {
  /** Waits until work has come to the gate, but not for ever: there may be none. */
  readonly arrived: () => Promise<void>
  /** Throws `NotShown` if none came, so that nothing was held. */
  readonly expectArrival: () => void
}

/** How long work may take to reach a gate that cannot say when. */
const ARRIVAL_MS = 100

/** Asks the gate, from now on, whether work has come to it. */
export function watchGate({ settings }: Stage): Watch {
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

export interface Held<T> extends Pick<Watch, 'expectArrival'> {
  readonly sent: T
  /** Whether nothing was booked meanwhile. */
  readonly isHeld: boolean
}

/**
 * Holds all work that begins while `send` runs; what is held is about the subject. `end` says what
 * becomes of it then; default: it is released.
 */
export async function whileHeld<T>(
  stage: Stage,
  subject: Subject,
  send: (watch: Watch) => Promise<T>,
  end: () => Promise<void> = () => release(stage, subject),
): Promise<Held<T>> {
  const { gate } = stage.settings
  stage.step(subject, 'work is held from now on')
  await gate?.hold?.()
  const watch = watchGate(stage)
  try {
    const sent = await send(watch)
    const { effects } = await stage.see(subject)
    const expectArrival = () => {
      watch.expectArrival()
      if (effects > 0) throw new NotShown('the work was done while the gate held it; does it wait?')
    }
    return { sent, expectArrival, isHeld: effects === 0 }
  } finally {
    await end()
  }
}

async function release({ settings, step }: Stage, subject: Subject): Promise<void> {
  step(subject, 'the work is released')
  await settings.gate?.release?.()
}
