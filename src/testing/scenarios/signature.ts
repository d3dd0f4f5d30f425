import { decodeUtf8, utf8 } from '../../core/bytes.ts'
import type { Attempt, SendOptions } from '../attempt.ts'
import { randomId } from '../random.ts'
import { type Diagnosis, ProofFailure, type Scenario, type Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import { BOOKED_AGAIN, BY_HEADER, NOT_VERIFIED } from './diagnoses.ts'
import { answered, expectAccepted, expectDelivered, expectEffects } from './expect.ts'
import { believesAnySecret, otherSecret, remembers, takesOld } from './probes.ts'

const oneSignature = (which: string): Diagnosis => ({
  cause: `${which}, so a rotation loses every delivery`,
  fix: 'compare with every v1, and accept if any matches',
})
const ORDER: Diagnosis = {
  cause: 'the header is read by position or by one pattern',
  fix: 'split at commas, then at the first =, and look elements up by name',
}
const CHANGED_BYTES: Diagnosis = {
  fault: 'bytes',
  cause: 'the signature is computed over JSON that was parsed and written again',
  fix: 'verify the raw bytes as they came, before any parser',
}
const BYTES_IGNORED: Diagnosis = {
  fault: 'bytes',
  cause:
    'a space behind the JSON is not noticed, though an added field is: probably the fault of raw-bytes, JSON that was parsed and written again before it is verified, which undoes the change',
  fix: 'verify the raw bytes as they came, before any parser; repair raw-bytes first',
}
const BODY_IGNORED: Diagnosis = {
  fault: 'verification',
  cause: 'a changed field is not noticed, though a wrong secret is: the body is not what is signed',
  fix: 'compute the signature over the time, a dot and the raw bytes of this request',
}
const ONLY_IF_THERE: Diagnosis = {
  fault: 'verification',
  cause: 'a delivery without a signature is accepted, though a wrong signature is not',
  fix: 'refuse a delivery whose signature header is missing or empty',
}
const NOT_COMPARED: Diagnosis = {
  fault: 'verification',
  cause: 'a signature must be there and is not compared: one of another secret is accepted',
  fix: 'compute the signature over the raw bytes, and compare it whole, in constant time',
}
const NOT_REFUSED: Diagnosis = {
  cause: 'a forgery ends in an error of the receiver instead of a refusal',
  fix: 'answer 4xx, so that alarms for your own errors are about your own errors',
}
const ANSWERED_2XX: Diagnosis = {
  cause: 'nothing was booked, but the answer was 2xx, as if it were genuine, and must be 4xx',
  fix: 'answer 401 to what is not genuine, whatever the body of the answer says: a sender with the wrong secret would otherwise believe all was delivered',
}
const EVENT_TIME_INSTEAD: Diagnosis = {
  fault: 'clock',
  cause:
    'the time in the signature is not compared with the clock, and the time of the event is: old-event fails by the same',
  fix: 'compare the time in the signature header with the clock, and never occurred_at',
}
const BOOKED_ALL_THE_SAME: Diagnosis = {
  fault: 'verification',
  cause: 'a forgery is refused, and booked all the same',
  fix: 'verify before anything else',
}
const FRESH_FIX =
  'refuse if the signed time differs from now by more than 300 seconds, earlier or later'
const NO_TIME: Diagnosis = {
  cause:
    'the time in the signature is not compared with the clock, so a captured delivery works for ever',
  fix: FRESH_FIX,
}
const PAST_ACCEPTED: Diagnosis = {
  cause: 'a time far behind the clock is accepted, and one ahead is not',
  fix: FRESH_FIX,
}
const FUTURE_ACCEPTED: Diagnosis = {
  cause: 'a time ahead of the clock is accepted, and one behind is not: only the age is looked at',
  fix: FRESH_FIX,
}

export const rotation: Scenario = {
  id: 'rotation',
  title: 'rotation: two signatures, both orders',
  fits: ({ story }) => story.signsTwice === true,
  async run(stage) {
    const { secret } = stage.settings
    const orders = [
      [
        'right one second',
        'only the first signature in the header is compared',
        [otherSecret(), secret],
      ],
      [
        'right one first',
        'only the last signature in the header is compared',
        [secret, otherSecret()],
      ],
      [
        'right one 16th',
        'not every signature in the header is compared',
        [...Array.from({ length: 15 }, otherSecret), secret],
      ],
    ] as const
    for (const [note, which, secrets] of orders) {
      const subject = await stage.subject()
      const attempt = await stage.sender.send(stage.booking(subject), { secret: secrets, note })
      expectAccepted(attempt, subject, oneSignature(which))
      await expectEffects(stage, [subject], 1)
    }
    return 'right one second, first, and 16th'
  },
}

export const headerOrder: Scenario = {
  id: 'header-order',
  title: 'signature header in another order',
  fits: ({ story }) => story.reorder !== undefined,
  async run(stage) {
    const subject = await stage.subject()
    const { reorder } = stage.settings.story
    const attempt = await stage.sender.send(stage.booking(subject), {
      headers: reorder,
      note: 'its signature header in another order',
    })
    expectAccepted(attempt, subject, ORDER)
    await expectEffects(stage, [subject], 1)
    return `${attempt.status} · effects 1`
  },
}

export const bytes: Scenario = {
  id: 'raw-bytes',
  title: 'JSON in another form is the same event',
  async run(stage) {
    const subject = await stage.subject()
    const { body, ...message } = stage.booking(subject)
    const json: unknown = JSON.parse(decodeUtf8(body) ?? '')
    const text = `${JSON.stringify(json, null, 1).replaceAll('/', '\\/')}\n`
    const attempt = await stage.sender.send(
      { ...message, body: utf8(text) },
      { note: 'other white space, signed as it is' },
    )
    expectAccepted(attempt, subject, CHANGED_BYTES)
    await expectEffects(stage, [subject], 1)
    return `${attempt.status} · effects 1`
  },
}

const FORGERIES: Readonly<Record<string, () => SendOptions>> = {
  'wrong secret': () => ({ secret: otherSecret() }),
  'a field added': () => ({
    body: (signed) => utf8((decodeUtf8(signed) ?? '').replace('{', '{"x":1,')),
  }),
  'a space added': () => ({ body: (signed) => utf8(`${decodeUtf8(signed)} `) }),
  'no signature': () => ({ headers: (all) => ({ 'Content-Type': String(all['Content-Type']) }) }),
}

export const forgeries: Scenario = {
  id: 'forgeries',
  title: 'forgeries are refused with 4xx',
  async run(stage) {
    await expectRefused(stage, FORGERIES, (accepted) => {
      const isAccepted = (what: string) => accepted.includes(what)
      if (isAccepted('wrong secret')) {
        return isAccepted('no signature') ? NOT_VERIFIED : NOT_COMPARED
      }
      if (isAccepted('a field added')) return BODY_IGNORED
      return isAccepted('a space added') ? BYTES_IGNORED : ONLY_IF_THERE
    })
    return Object.keys(FORGERIES).join(', ')
  },
}

export const freshness: Scenario = {
  id: 'freshness',
  title: 'old and future signatures are refused',
  fits: ({ story }) => story.scheme.toleranceSeconds !== undefined,
  async run(stage) {
    const seconds = (stage.settings.story.scheme.toleranceSeconds ?? 0) + 300
    const [past, future] = [`signed ${seconds} s ago`, `signed ${seconds} s ahead`]
    const shifted = {
      [past]: () => ({ timestamp: stage.signingTime() - seconds }),
      [future]: () => ({ timestamp: stage.signingTime() + seconds }),
    }
    await expectRefused(stage, shifted, async (accepted) => {
      if (await believesAnySecret(stage)) return NOT_VERIFIED
      if (accepted.length > 1) return (await takesOld(stage)) ? NO_TIME : EVENT_TIME_INSTEAD
      return accepted[0] === past ? PAST_ACCEPTED : FUTURE_ACCEPTED
    })
    return `${seconds} s ago, and ahead`
  },
}

interface Refused {
  readonly what: string
  readonly subject: Subject
  readonly attempt: Attempt
}

/** Sends every one, since which are accepted tells why; fails for the first that is. */
async function expectRefused(
  stage: Stage,
  those: Readonly<Record<string, () => SendOptions>>,
  why: (accepted: readonly string[]) => Diagnosis | Promise<Diagnosis>,
): Promise<void> {
  const sent: Refused[] = []
  for (const [what, options] of Object.entries(those)) {
    const subject = await stage.subject()
    const given = { ...options(), note: what }
    sent.push({ what, subject, attempt: await stage.sender.send(stage.booking(subject), given) })
  }
  const accepted = sent.filter(({ attempt }) => attempt.outcome === 'delivered')
  const [first] = accepted
  if (first !== undefined) {
    const all = await stage.settled(
      accepted.map(({ subject }) => subject),
      1,
    )
    const [seen] = all
    const isBooked = all.some(({ effects }) => effects > 0)
    const diagnosis = isBooked ? await why(accepted.map(({ what }) => what)) : ANSWERED_2XX
    const also = accepted.slice(1).map(({ what }) => what)
    const rest = also.length > 0 ? `; accepted, too: ${also.join(', ')}` : ''
    const words = `${first.what}: ${answered(first.attempt)}, effects ${seen?.effects}${rest}`
    throw new ProofFailure(words, diagnosis, first.subject)
  }
  const unclear = sent.find(({ attempt: { status = 0 } }) => status < 400 || status > 499)
  if (unclear !== undefined) {
    const { what, attempt, subject } = unclear
    throw new ProofFailure(`${what}: ${answered(attempt)}`, NOT_REFUSED, subject)
  }
  const subjects = sent.map(({ subject }) => subject)
  await expectEffects(stage, subjects, 0, { more: BOOKED_ALL_THE_SAME })
}

export const capturedId: Scenario = {
  id: 'captured-id',
  title: 'captured delivery under another id header',
  fits: ({ story }) => story.idHeader !== undefined,
  async run(stage) {
    const { sender, settings } = stage
    const { idHeader = '' } = settings.story
    const subject = await stage.subject()
    const message = stage.booking(subject)
    await expectDelivered(stage, subject, message)
    await expectEffects(stage, [subject], 1)
    const begun = await settings.started?.(subject.id)
    const otherId = randomId('evt')
    await sender.send(message, {
      headers: (headers) => ({ ...headers, [idHeader]: otherId }),
      note: `under ${idHeader} ${otherId}`,
    })
    const why = async () => ((await remembers(stage)) ? BY_HEADER : BOOKED_AGAIN)
    await expectEffects(stage, [subject], 1, { more: why })
    const begunAgain = await settings.started?.(subject.id)
    if (begun !== begunAgain) {
      const seen = `work began ${begunAgain} times, expected ${begun}`
      throw new ProofFailure(seen, await why(), subject)
    }
    return 'effects 1'
  },
}
