import type { KitSettings } from '../kit-options.ts'
import type { Message } from '../message.ts'
import type { Scenario, Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import type { Receiver } from '../target.ts'
import { sleep } from '../timers.ts'
import {
  ANSWERS_BEFORE_WORK,
  BOOKED_AGAIN,
  ID_FIRST,
  LOST_IN_MEMORY,
  NOT_TOGETHER,
  SWALLOWED,
} from './diagnoses.ts'
import { expectDelivered, expectEffects, expectSuccess, statuses, unlessShared } from './expect.ts'
import { watchGate } from './gate.ts'
import { answersWhileHeld, remembers } from './probes.ts'

const MINUTE = 60_000

export const failsOnce: Scenario = {
  id: 'work-fails-once',
  title: 'the work fails once',
  unshown: ({ gate }) => (gate?.failOnce ? undefined : 'no gate with failOnce given'),
  async run(stage) {
    const subject = await stage.subject()
    const message = stage.booking(subject)
    stage.step(subject, 'the next work will fail')
    await stage.settings.gate?.failOnce?.()
    const failing = watchGate(stage)
    const { attempts } = await expectDelivered(stage, subject, message)
    await patience(stage, subject)
    const lost = async () => {
      if (attempts.length > 1) return ID_FIRST
      return (await answersWhileHeld(stage)) ? ANSWERS_BEFORE_WORK : SWALLOWED
    }
    await expectEffects(stage, [subject], 1, { none: () => unlessShared(stage, lost) })
    await failing.arrived()
    failing.expectArrival()
    return `${statuses(attempts)} · effects 1`
  },
}

export const crash: Scenario = {
  id: 'crash',
  title: 'the process dies in the middle of the work',
  unshown: cannotCrash,
  run: async (stage) => (stage.receiver.kind === 'process' ? killed(stage) : abandoned(stage)),
}

function cannotCrash({ gate }: KitSettings, { kind }: Receiver): string | undefined {
  if (kind === 'process' || (gate?.hold && gate.abandon)) return undefined
  return 'neither a process to kill nor a gate with abandon given'
}

/** What is held at the gate stays there for ever. */
async function abandoned(stage: Stage): Promise<string> {
  const { sender, settings } = stage
  const subject = await stage.subject()
  const message = stage.booking(subject)
  stage.step(subject, 'work is held from now on')
  await settings.gate?.hold?.()
  const held = watchGate(stage)
  const first = await sender.send(message, { fault: 'hang' })
  await held.arrived()
  stage.step(subject, 'the process dies with the work it held, and starts again')
  await settings.gate?.abandon?.()
  await settings.restart?.()
  const attempts = [first]
  if (first.outcome !== 'delivered') {
    await sender.wait(MINUTE)
    attempts.push(...(await expectDelivered(stage, subject, message)).attempts.slice(1))
  }
  await patience(stage, subject)
  await expectEffects(stage, [subject], 1, afterCrash(stage))
  held.expectArrival()
  return `${statuses(attempts)} · effects 1`
}

/** What is lost, or done twice, by a process that died. */
function afterCrash(stage: Stage) {
  return {
    none: (subject: Subject) => {
      const [first] = stage.attemptsOf(subject)
      return unlessShared(stage, first?.outcome === 'delivered' ? LOST_IN_MEMORY : ID_FIRST)
    },
    more: async () => ((await remembers(stage)) ? NOT_TOGETHER : BOOKED_AGAIN),
  }
}

const KILLS = 5
/** Long enough for the work of a local receiver to begin, short enough for it not to be over. */
const KILL_WITHIN_MS = 20

async function killed(stage: Stage): Promise<string> {
  const { sender, receiver, random } = stage
  const subjects: Subject[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const subject = await stage.subject()
    const message: Message = stage.booking(subject)
    subjects.push(subject)
    const sending = sender.send(message)
    // Behind the answer, where work that no row holds is lost; and anywhere.
    const moment = kill % 2 === 0 ? sending : sleep(random() * KILL_WITHIN_MS)
    const restart = async () => {
      stage.step(subject, 'the process is killed and started again')
      await receiver.restart()
    }
    const [{ outcome }] = await Promise.all([sending, moment.then(restart)])
    await stage.see(subject)
    if (outcome !== 'delivered') await expectDelivered(stage, subject, message)
  }
  await expectEffects(stage, subjects, 1, { ...afterCrash(stage), each: 'crashes' })
  return `killed ${KILLS} times (probabilistic) · effects 1`
}

/** Minutes after which a lease or a back-off is over, on a clock that both share. */
const PATIENCE = [1, 10, 60, 240]

/** Work that has begun gets real time to end: it must not lose its lease to a clock that jumps. */
async function patience(stage: Stage, subject: Subject): Promise<void> {
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

export const lostAnswers: Scenario = {
  id: 'lost-answers',
  title: 'ten answers are lost',
  isLong: true,
  async run(stage) {
    const subject = await stage.subject()
    const message = stage.booking(subject)
    await stage.sender.send(message, { fault: 'lostResponse' })
    // Work that goes on meanwhile is P3; here it is over when the next attempt comes.
    await stage.settled([subject], 1)
    await stage.sender.wait(MINUTE)
    const faults = (attempt: number) => (attempt < 10 ? 'lostResponse' : undefined)
    const { attempts } = await expectDelivered(stage, subject, message, faults)
    await expectEffects(stage, [subject], 1)
    return `${attempts.length} attempts · effects 1`
  },
}

export const shortOutage: Scenario = {
  id: 'outage-5-min',
  title: 'down for five minutes',
  isLong: true,
  async run(stage) {
    const subjects = [await stage.subject(), await stage.subject()]
    const messages = subjects.map((subject) => stage.booking(subject))
    const faults = (attempt: number) => (attempt <= 3 ? 'refuse' : undefined)
    const records = await stage.sender.deliverAll(messages, { faults })
    await expectEffects(stage, subjects, 1)
    return `delivered at attempt ${records.map(({ attempts }) => attempts.length).join(' and ')}`
  },
}

export const longOutage: Scenario = {
  id: 'outage-17-h',
  title: 'down for 17 hours, then resent by hand',
  async run(stage) {
    const { sender } = stage
    const subject = await stage.subject()
    const message = stage.booking(subject)
    const { status, attempts } = await sender.deliver(message, { faults: () => 'lostRequest' })
    stage.step(subject, 'resent by hand')
    const resent = await sender.resend(message.id)
    await expectSuccess(stage, subject, resent)
    await expectEffects(stage, [subject], 1)
    return `${status} after ${attempts.length} attempts · resent · effects 1`
  },
}
