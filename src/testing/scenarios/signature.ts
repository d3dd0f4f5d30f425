import { decodeUtf8, utf8 } from '../../core/bytes.ts'
import type { SignedHeaders } from '../../core/scheme.ts'
import type { SendOptions } from '../attempt.ts'
import { randomId } from '../random.ts'
import { type Diagnosis, ProofFailure, type Scenario, type Stage } from '../scenario.ts'
import {
  answered,
  BOOKED_AGAIN,
  expectAccepted,
  expectDelivered,
  expectEffects,
  NO_GUARD,
  NOTHING_BOOKED,
} from './expect.ts'

const ONE_SIGNATURE: Diagnosis = {
  cause:
    'only one of the signatures in the header is looked at, so a rotation loses every delivery',
  fix: 'compare with every v1, and accept if any matches',
}
const ORDER: Diagnosis = {
  cause: 'the header is read by position or by one pattern',
  fix: 'split at commas, then at the first =, and look elements up by name',
}
const CHANGED_BYTES: Diagnosis = {
  cause: 'the signature is computed over JSON that was parsed and written again',
  fix: 'verify the raw bytes as they came, before any parser',
}
const NOT_VERIFIED: Diagnosis = {
  cause: 'a delivery that the provider did not sign is accepted',
  fix: 'verify first, compare the whole MAC in constant time, and refuse a missing header',
}
const NOT_REFUSED: Diagnosis = {
  cause: 'a forgery ends in an error of the receiver instead of a refusal',
  fix: 'answer 4xx, so that alarms for your own errors are about your own errors',
}
const NOT_FRESH: Diagnosis = {
  cause:
    'the time in the signature is not compared with the clock on both sides, so a captured delivery works for ever',
  fix: 'refuse if the signed time differs from now by more than 300 seconds, earlier or later',
}
const BY_HEADER: Diagnosis = {
  cause:
    'the delivery is known by its id header, which is not signed: whoever captures one can send it again under another',
  fix: 'dedupe by the event id of the signed body',
}

// Also base64, as one of the providers wants its secrets.
const otherSecret = () => `${randomId('whsec')}AA`

export const rotation: Scenario = {
  id: 'rotation',
  title: 'rotation: two signatures, both orders',
  fits: ({ story }) => story.signsTwice === true,
  async run(stage) {
    const { secret } = stage.settings
    const orders = [
      [otherSecret(), secret],
      [secret, otherSecret()],
      [...Array.from({ length: 15 }, otherSecret), secret],
    ]
    for (const order of orders) {
      const subject = await stage.subject()
      const attempt = await stage.sender.send(stage.booking(subject), { secret: order })
      expectAccepted(attempt, subject, ONE_SIGNATURE)
      await expectEffects(stage, [subject], 1, { none: NOTHING_BOOKED, more: BOOKED_AGAIN })
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
    const attempt = await stage.sender.send(stage.booking(subject), { headers: reorder })
    expectAccepted(attempt, subject, ORDER)
    await expectEffects(stage, [subject], 1, { none: NOTHING_BOOKED, more: BOOKED_AGAIN })
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
    const attempt = await stage.sender.send({ ...message, body: utf8(text) })
    expectAccepted(attempt, subject, CHANGED_BYTES)
    await expectEffects(stage, [subject], 1, { none: NOTHING_BOOKED, more: BOOKED_AGAIN })
    return `${attempt.status} · effects 1`
  },
}

export const forgeries: Scenario = {
  id: 'forgeries',
  title: 'forgeries are refused with 4xx',
  async run(stage) {
    const without = (headers: SignedHeaders) => ({
      'Content-Type': String(headers['Content-Type']),
    })
    const forged: Readonly<Record<string, SendOptions>> = {
      'wrong secret': { secret: otherSecret() },
      'changed body': { body: (signed) => utf8(`${decodeUtf8(signed)} `) },
      'no signature': { headers: without },
    }
    for (const [what, options] of Object.entries(forged)) {
      await expectRefused(stage, what, options, NOT_VERIFIED)
    }
    return Object.keys(forged).join(', ')
  },
}

export const freshness: Scenario = {
  id: 'freshness',
  title: 'old and future signatures are refused',
  fits: ({ story }) => story.scheme.toleranceSeconds !== undefined,
  async run(stage) {
    const { toleranceSeconds = 0 } = stage.settings.story.scheme
    for (const shift of [-1, 1]) {
      const timestamp = stage.signingTime() + shift * (toleranceSeconds + 300)
      const what = `signed ${toleranceSeconds + 300} s ${shift < 0 ? 'ago' : 'ahead'}`
      await expectRefused(stage, what, { timestamp }, NOT_FRESH)
    }
    return `${toleranceSeconds + 300} s ago, and ahead`
  },
}

async function expectRefused(
  stage: Stage,
  what: string,
  options: SendOptions,
  accepted: Diagnosis,
): Promise<void> {
  const subject = await stage.subject()
  const attempt = await stage.sender.send(stage.booking(subject), options)
  const { outcome, status = 0 } = attempt
  const seen = `${what}: ${answered(attempt)}`
  if (outcome === 'delivered') throw new ProofFailure(seen, accepted, subject)
  if (status < 400 || status > 499) throw new ProofFailure(seen, NOT_REFUSED, subject)
  await expectEffects(stage, [subject], 0, { none: accepted, more: accepted })
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
    await expectEffects(stage, [subject], 1, { none: NOTHING_BOOKED, more: NO_GUARD })
    const begun = await settings.started?.(subject.id)
    await sender.send(message, {
      headers: (headers) => ({ ...headers, [idHeader]: randomId('evt') }),
    })
    await expectEffects(stage, [subject], 1, { none: NOTHING_BOOKED, more: BY_HEADER })
    const begunAgain = await settings.started?.(subject.id)
    if (begun !== begunAgain) {
      throw new ProofFailure(
        `work began ${begunAgain} times, expected ${begun}`,
        BY_HEADER,
        subject,
      )
    }
    return 'effects 1'
  },
}
