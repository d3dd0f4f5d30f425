import { randomId } from '../random.ts'
import type { Stage } from '../scenario.ts'
import { whileHeld } from './gate.ts'

// Small experiments behind a failure, each about a resource of its own, which decide between causes.

/** Whether the same event, sent again once the first is over, does nothing. */
export async function remembers(stage: Stage): Promise<boolean> {
  const subject = await stage.subject()
  const message = stage.booking(subject)
  const count = async () => stage.settings.started?.(subject.id)
  await stage.sender.send(message)
  await stage.settled([subject], 1)
  const begun = await count()
  await stage.sender.send(message)
  const [seen] = await stage.settled([subject], 1)
  return seen?.effects === 1 && (await count()) === begun
}

/** Whether a second event about one resource, sent once the first is over, books nothing. */
export async function guards(stage: Stage): Promise<boolean> {
  const subject = await stage.subject()
  for (const message of [stage.booking(subject), stage.booking(subject)]) {
    await stage.sender.send(message)
    await stage.settled([subject], 1)
  }
  const { effects } = await stage.see(subject)
  return effects === 1
}

/** Whether of two payments of one type in one second only one is booked. */
export async function takesOneForAnother(stage: Stage): Promise<boolean> {
  const subjects = [await stage.subject(), await stage.subject()]
  // A second of their own, in which nothing else has happened.
  const occurredAt = stage.signingTime() - 60 - Math.floor(Math.random() * 36_000)
  for (const subject of subjects) await stage.sender.send(stage.booking(subject, { occurredAt }))
  const seen = await stage.settled(subjects, 1)
  return seen.some(({ effects }) => effects > 0) && seen.some(({ effects }) => effects === 0)
}

const HOURS_16 = 57_600

/** Whether an event of 16 hours ago is accepted, if it is signed now. */
export async function takesOld(stage: Stage): Promise<boolean> {
  const subject = await stage.subject()
  const message = stage.booking(subject, { occurredAt: stage.signingTime() - HOURS_16 })
  const { outcome } = await stage.sender.send(message)
  return outcome === 'delivered'
}

/** Whether it answers while the work on what it answers waits; without a gate nobody knows. */
export async function answersWhileHeld(stage: Stage): Promise<boolean> {
  if (stage.settings.gate?.hold === undefined) return false
  const subject = await stage.subject()
  const message = stage.booking(subject)
  const { sent, isHeld } = await whileHeld(stage, subject, async () =>
    stage.sender.send(message, { fault: 'hang' }),
  )
  await stage.settled([subject], 1)
  return isHeld && sent.outcome === 'delivered'
}

/** Whether a delivery that another secret has signed is accepted. */
export async function believesAnySecret(stage: Stage): Promise<boolean> {
  const subject = await stage.subject()
  const { outcome } = await stage.sender.send(stage.booking(subject), { secret: otherSecret() })
  return outcome === 'delivered'
}

/** Also base64, as one of the providers wants its secrets. */
export const otherSecret = (): string => `${randomId('whsec')}AA`
