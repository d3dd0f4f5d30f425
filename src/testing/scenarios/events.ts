import type { Diagnosis, Scenario } from '../scenario.ts'
import { BOOKED_AGAIN, expectAccepted, expectEffects } from './expect.ts'

const DAY = 86_400

const EVENT_TIME: Diagnosis = {
  cause:
    'the time of the event is taken for the time of the signature, so a late delivery is refused',
  fix: 'compare the time in the signature header with the clock, and never occurred_at',
}
const UNKNOWN_TYPE: Diagnosis = {
  cause: 'an event type that is not known is an error, so the sender repeats it for 16 hours',
  fix: 'answer 2xx and ignore it: providers add types',
}
const UNKNOWN_BOOKS: Diagnosis = {
  cause: 'an event of an unknown type books',
  fix: 'book for the types that mean paid alone',
}
const STRICT: Diagnosis = {
  cause: 'a newer version, or a field that is not known, is refused',
  fix: 'read the fields you need, and let others pass',
}

export const oldEvent: Scenario = {
  id: 'old-event',
  title: 'an old event, freshly signed',
  async run(stage) {
    const subject = await stage.subject()
    const occurredAt = stage.signingTime() - 30 * DAY
    const message = stage.tell(subject, stage.settings.story.booking, { occurredAt })
    expectAccepted(await stage.sender.send(message), subject, EVENT_TIME)
    await expectEffects(stage, [subject], 1, { none: EVENT_TIME, more: BOOKED_AGAIN })
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
    await expectEffects(stage, [subject], 0, { none: UNKNOWN_BOOKS, more: UNKNOWN_BOOKS })
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
    await expectEffects(stage, [subject], 1, { none: STRICT, more: BOOKED_AGAIN })
    return `${attempt.status} · effects 1`
  },
}
