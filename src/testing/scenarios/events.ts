import type { Diagnosis, Scenario } from '../scenario.ts'
import { EVENT_TIME, OLD_IGNORED } from './diagnoses.ts'
import { expectAccepted, expectEffects, unlessShared } from './expect.ts'

const DAY = 86_400

const UNKNOWN_TYPE: Diagnosis = {
  cause:
    'an event type that is not known is not answered with 2xx, so the sender repeats it for 16 hours',
  fix: 'answer 2xx and ignore it: providers add types',
}
const UNKNOWN_BOOKS: Diagnosis = {
  fault: 'early',
  cause: 'an event of an unknown type books',
  fix: 'book for the types that mean paid alone',
}
const LENIENT = 'read the fields you need, and let others pass'
const STRICT: Diagnosis = {
  cause: 'a newer version, or a field that is not known, is refused',
  fix: LENIENT,
}
const IGNORED: Diagnosis = {
  cause:
    'a newer version, or one with fields that are not known, was answered with 2xx and ignored',
  fix: LENIENT,
}

export const oldEvent: Scenario = {
  id: 'old-event',
  title: 'an old event, freshly signed',
  async run(stage) {
    const subject = await stage.subject()
    const occurredAt = stage.signingTime() - 30 * DAY
    const message = stage.booking(subject, { occurredAt })
    expectAccepted(await stage.sender.send(message), subject, EVENT_TIME)
    await expectEffects(stage, [subject], 1, { none: () => unlessShared(stage, OLD_IGNORED) })
    return '30 days old · effects 1'
  },
}

export const unlisted: Scenario = {
  id: 'unknown-type',
  title: 'an event type that nobody knows yet',
  fits: ({ story }) => story.unlisted !== undefined,
  async run(stage) {
    const subject = await stage.subject()
    const message = stage.tell(subject, stage.settings.story.unlisted)
    const attempt = await stage.sender.send(message)
    expectAccepted(attempt, subject, UNKNOWN_TYPE)
    await expectEffects(stage, [subject], 0, { more: UNKNOWN_BOOKS })
    return `${attempt.status} · effects 0`
  },
}

export const newer: Scenario = {
  id: 'new-fields',
  title: 'a newer version with more fields',
  fits: ({ story }) => story.newer !== undefined,
  async run(stage) {
    const subject = await stage.subject()
    const message = stage.tell(subject, stage.settings.story.newer)
    const attempt = await stage.sender.send(message)
    expectAccepted(attempt, subject, STRICT)
    await expectEffects(stage, [subject], 1, {
      none: () => unlessShared(stage, IGNORED),
    })
    return `${attempt.status} · effects 1`
  },
}
