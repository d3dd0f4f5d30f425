import type { Attempt } from '../attempt.ts'
import type { KitSettings } from '../kit-options.ts'
import type { Message } from '../message.ts'
import type { Scenario, Stage } from '../scenario.ts'
import type { Subject } from '../story.ts'
import type { Receiver } from '../target.ts'
import { sleep } from '../timers.ts'
import { BOOKED_AGAIN, ID_FIRST, IN_FLIGHT, LOST_IN_MEMORY, NOT_TOGETHER } from './diagnoses.ts'
import { expectDelivered, expectEffects, statuses, unlessShared } from './expect.ts'
import { type Watch, whileHeld } from './gate.ts'
import { patience } from './patience.ts'
import { remembers } from './probes.ts'

const MINUTE = 60_000

export const crash: Scenario = {
  id: 'crash',
  title: 'the process dies in the middle of the work',
  unshown: ({ gate }, { kind }) =>
    kind === 'process' || (gate?.hold && gate.abandon)
      ? undefined
      : 'neither a process to kill nor a gate with abandon given',
  run: async (stage) =>
    stage.settings.gate?.hold
      ? endedWhileHeld(stage, async (message, { arrived }) => {
          const first = await stage.sender.send(message, { fault: 'hang' })
          await arrived()
          return [first]
        })
      : killed(stage),
}

export const inFlight: Scenario = {
  id: 'acknowledged-in-flight',
  title: 'a retry is answered, the first run never ends',
  unshown: ({ gate, ...settings }, receiver) => {
    if (!gate?.hold) return 'no gate given'
    if (canDie({ gate, ...settings }, receiver) || gate.failOnce) return undefined
    return 'neither a process to kill nor a gate with abandon or failOnce given'
  },
  run: (stage) =>
    endedWhileHeld(stage, async (message, { arrived }) => {
      const first = await stage.sender.send(message, { fault: 'hang' })
      await arrived()
      if (first.outcome === 'delivered') return [first]
      await stage.sender.wait(MINUTE)
      return [first, await stage.sender.send(message, { fault: 'hang' })]
    }),
}

function canDie({ gate }: KitSettings, { kind }: Receiver): boolean {
  return kind === 'process' || gate?.abandon !== undefined
}

/** What is held never ends: its process dies, or it fails. Whoever was not answered 2xx tries again. */
async function endedWhileHeld(
  stage: Stage,
  send: (message: Message, watch: Watch) => Promise<readonly Attempt[]>,
): Promise<string> {
  const { sender } = stage
  const subject = await stage.subject()
  const message = stage.booking(subject)
  const isDeath = canDie(stage.settings, stage.receiver)
  const { sent, expectArrival } = await whileHeld(
    stage,
    subject,
    (watch) => send(message, watch),
    () => (isDeath ? die(stage, subject) : letFail(stage, subject)),
  )
  let attempts = sent
  if (sent.at(-1)?.outcome !== 'delivered') {
    await sender.wait(MINUTE)
    attempts = (await expectDelivered(stage, subject, message)).attempts
  }
  await patience(stage, subject)
  await expectEffects(stage, [subject], 1, lostOrDoubled(stage))
  expectArrival()
  return `held, ${isDeath ? 'killed' : 'failed'}: ${statuses(attempts)} · effects 1`
}

async function die({ settings, receiver, step }: Stage, subject: Subject): Promise<void> {
  step(subject, 'the process dies with the work it held, and starts again')
  if (receiver.kind === 'process') {
    await receiver.restart()
    // Behind the restart: a gate may live in the process, and is open in the new one.
    await settings.gate?.release?.()
  } else {
    await settings.gate?.abandon?.()
    await settings.restart?.()
  }
}

async function letFail({ settings, step }: Stage, subject: Subject): Promise<void> {
  step(subject, 'the work that was held fails')
  await settings.gate?.failOnce?.()
  await settings.gate?.release?.()
}

/** What is lost, or done twice, by work that did not end. */
function lostOrDoubled(stage: Stage) {
  return {
    none: (subject: Subject) => {
      const [first, second] = stage.attemptsOf(subject)
      if (first?.outcome === 'delivered') return unlessShared(stage, LOST_IN_MEMORY)
      const isEarly = second?.outcome === 'delivered' && second.fault === 'hang'
      return unlessShared(stage, isEarly ? IN_FLIGHT : ID_FIRST)
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
  await expectEffects(stage, subjects, 1, { ...lostOrDoubled(stage), each: 'crashes' })
  return `killed ${KILLS} times (probabilistic) · effects 1`
}
