import { fail } from '../core/errors.ts'
import { createJournal, type Journal } from './journal.ts'
import type { KitSettings } from './kit-options.ts'
import type { Message } from './message.ts'
import { seededRandom } from './random.ts'
import type { Seen, Stage } from './scenario.ts'
import { openSender } from './sender.ts'
import type { SenderSettings } from './sender-options.ts'
import type { Subject } from './story.ts'
import { sleep } from './timers.ts'

export interface OpenStage extends Stage {
  readonly timelineOf: Journal['timelineOf']
}

/** A sender without a past, and choices that depend on the seed alone. */
export function openStage(settings: KitSettings, sending: SenderSettings): OpenStage {
  const { story, prepare, observe } = settings
  const journal = createJournal(sending.timeline.now)
  const about = (subject: Subject, message: Message) => {
    journal.about(subject, message)
    return message
  }
  const tell: Stage['tell'] = (subject, telling, scene) => {
    const message = telling?.(subject, scene ?? { occurredAt: sending.timeline.signingTime() })
    return about(subject, message ?? fail('testing_invalid', 'the story has no part for this'))
  }
  const see = async (subject: Subject) => {
    const seen = readObservation(await observe(subject.id, subject))
    journal.seen(subject, seen.effects)
    return seen
  }
  return {
    settings,
    receiver: sending.receiver,
    sender: openSender(sending, journal.attempt),
    mode: sending.timeline.mode,
    random: seededRandom(settings.seed),
    signingTime: sending.timeline.signingTime,
    async subject(of = story.subject) {
      const subject = of()
      await prepare?.(subject)
      return subject
    },
    about,
    tell,
    bookingType: story.booking(story.subject()).type,
    booking: (subject, scene) => tell(subject, story.booking, scene),
    see,
    settled: (subjects, effects, agree = () => true) =>
      settle(settings, () => all(subjects, see), effects, agree),
    step: journal.step,
    attemptsOf: journal.attemptsOf,
    timelineOf: journal.timelineOf,
  }
}

/** One after the other, because `observe` may be a program. */
async function all(
  subjects: readonly Subject[],
  see: (subject: Subject) => Promise<Seen>,
): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const subject of subjects) seen.push(await see(subject))
  return seen
}

const POLL_MS = 20

async function settle(
  { settle: drain, quietMs, settleMs }: KitSettings,
  look: () => Promise<Seen[]>,
  effects: number,
  agree: (seen: readonly Seen[]) => boolean,
): Promise<Seen[]> {
  if (drain !== undefined) {
    await drain()
    return look()
  }
  const begun = Date.now()
  let [seen, since] = [await look(), Date.now()]
  for (;;) {
    const isExpected = seen.every((one) => one.effects === effects) && agree(seen)
    const isQuiet = Date.now() - since >= quietMs
    // More than expected never becomes less.
    const isOver = isExpected || seen.some((one) => one.effects > effects)
    if (isQuiet && (isOver || Date.now() - begun >= settleMs)) return seen
    await sleep(POLL_MS)
    const now = await look()
    if (JSON.stringify(now) !== JSON.stringify(seen)) since = Date.now()
    seen = now
  }
}

function readObservation(observed: unknown): Seen {
  const { effects, state } =
    typeof observed === 'number'
      ? { effects: observed, state: undefined }
      : (Object(observed) as Partial<Seen>)
  if (!Number.isSafeInteger(effects)) {
    fail('testing_invalid', 'observe must give a whole number, or { effects, state? } with one')
  }
  return { effects: effects as number, state }
}
