import type { Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { sleep } from '../timers.ts'

const MINUTE = 60_000
/** Minutes after which a lease or a back-off is over, on a clock that both share. */
const PATIENCE = [1, 10, 60, 240]

/** Work that has begun gets real time to end: it must not lose its lease to a clock that jumps. */
export async function patience(stage: Stage, subject: Subject): Promise<void> {
  if (stage.mode !== 'virtual') return
  const { settle, settleMs } = stage.settings
  for (const minutes of PATIENCE) {
    await settle?.()
    const end = Date.now() + (settle ? 0 : settleMs / PATIENCE.length)
    do {
      const { effects } = await stage.see(subject)
      if (effects > 0) return
      await sleep(PATIENCE_POLL_MS)
    } while (Date.now() < end)
    await stage.sender.wait(minutes * MINUTE)
  }
}

const PATIENCE_POLL_MS = 20
