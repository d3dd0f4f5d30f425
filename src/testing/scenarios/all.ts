import type { Scenario } from '../scenario.ts'
import { again } from './again.ts'
import { crash, inFlight } from './crash.ts'
import { endpoints, endpointsTogether } from './endpoints.ts'
import { newer, oldEvent, unlisted } from './events.ts'
import { failsOnce, longOutage, lostAnswers, shortOutage } from './failures.ts'
import { first } from './first.ts'
import { answersFirst, burst, cutBody, slowBody } from './network.ts'
import { after, before, deposits, permutations } from './order.ts'
import { overlap } from './overlap.ts'
import { repair } from './repair.ts'
import { bytes, capturedId, forgeries, freshness, headerOrder, rotation } from './signature.ts'
import { table } from './table.ts'

/** The five proofs, then what else a receiver meets. */
export const SCENARIOS: readonly Scenario[] = [
  ...[first, again, overlap, repair, table],
  ...[endpoints, endpointsTogether, before, after, permutations, deposits],
  ...[failsOnce, crash, inFlight, lostAnswers, shortOutage, longOutage],
  ...[rotation, headerOrder, bytes, forgeries, freshness, capturedId],
  ...[oldEvent, unlisted, newer, slowBody, cutBody, burst, answersFirst],
]
