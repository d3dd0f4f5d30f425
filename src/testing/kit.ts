import { fail } from '../core/errors.ts'
import { type KitOptions, type KitSettings, readKitOptions } from './kit-options.ts'
import { TotalReached } from './pacing.ts'
import { createReport, type Report, type ScenarioResult } from './report.ts'
import { NotShown, ProofFailure, type Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios/all.ts'
import { checkSetUp } from './scenarios/first.ts'
import { readSenderOptions, type SenderSettings } from './sender-options.ts'
import { type OpenStage, openStage } from './stage.ts'

/** A scenario of a kit; `unshown` says why it cannot be shown with what the kit was given. */
export interface PlannedScenario {
  readonly id: string
  readonly title: string
  readonly unshown?: string
}

export interface Kit {
  readonly seed: number
  /** Whether the target is a process, which `close` ends. */
  readonly startsProcess: boolean
  /** What `run()` runs, in order. */
  readonly scenarios: readonly PlannedScenario[]
  /** Runs all scenarios, or those that are named: `['P1', 'P3']`. Ends a process that it started. */
  readonly run: (ids?: readonly string[]) => Promise<Report>
  /** Runs one. A process that it started stays until `close()`. */
  readonly runOne: (id: string) => Promise<ScenarioResult>
  readonly close: () => Promise<void>
}

/**
 * Shows whether a receiver takes every delivery as often as a provider sends it, and books once. The
 * receiver may be a function, a URL or a program in any language; `observe` is all it needs.
 *
 * Throws `WebhookConfigError` for a mistake in the options. What `observe` and the other functions
 * throw passes through `run`.
 *
 * @example
 * ```ts
 * import { webhook } from 'hookproof/fetch'
 * import { replayKit } from 'hookproof/testing'
 *
 * const secret = 'test_only_secret'
 * const shipped = new Map<string, number>()
 * const target = webhook({ secret }, ({ event, delivery }) => {
 *   const id = delivery.resource?.id ?? ''
 *   if (event.event_type === 'invoice.paid') shipped.set(id, 1)
 * })
 *
 * const kit = replayKit({ target, secret, observe: (id) => shipped.get(id) ?? 0 })
 * const report = await kit.run(['P1', 'P2', 'P3'])
 * console.log(report.text)
 * ```
 */
export function replayKit(options: KitOptions): Kit {
  const settings = readKitOptions(options)
  const sending = readSenderOptions(settings.sender)
  const planned = plan(settings)
  const { receiver } = sending
  let last: Promise<unknown> = Promise.resolve()
  let deliveries = 0
  let passedMs = 0
  let isHopeless = false
  let hasBegun = false

  const perform = async (scenario: Scenario): Promise<ScenarioResult> => {
    const { id, title } = scenario
    const begun = Date.now()
    const reason = isHopeless && id !== 'P1' ? NO_FIRST : unshown(settings, sending, scenario)
    if (reason !== undefined) {
      return { id, title, outcome: 'not shown', detail: reason, durationMs: 0 }
    }
    await receiver.open()
    const start = sending.timeline.now()
    const result = (await setUpTrouble(scenario)) ?? (await onStage(id, scenario.run))
    const durationMs = Date.now() - begun
    passedMs += Math.max(0, sending.timeline.now() - start - durationMs)
    if (id === 'P1') isHopeless = result.outcome === 'failed'
    return { id, title, ...result, durationMs }
  }
  const onStage = async (id: string, run: Scenario['run']): Promise<Outcome> => {
    const stage = openStage(settings, sending)
    const result = await outcomeOf(id, run, stage)
    deliveries += stage.sender.attempts().length
    return result
  }
  /** P1 finds it by itself; behind what is no trouble of the set-up nothing is one. */
  const setUpTrouble = async ({ id }: Scenario): Promise<Outcome | undefined> => {
    if (hasBegun) return undefined
    hasBegun = true
    if (id === 'P1') return undefined
    const { outcome, ...trouble } = await onStage(id, checkSetUp)
    if (outcome === 'shown') return undefined
    isHopeless = outcome === 'failed'
    return { outcome, ...trouble }
  }
  /** One at a time: they share a receiver, its gate and a clock. */
  const queue = (id: string): Promise<ScenarioResult> => {
    const scenario = find(id)
    const result = last.then(() => perform(scenario))
    last = result.catch(() => {})
    return result
  }
  const runAll = async (ids: readonly string[]): Promise<Report> => {
    const begun = Date.now()
    deliveries = 0
    passedMs = 0
    const results: ScenarioResult[] = []
    for (const id of ids) results.push(await queue(id))
    const ms = sending.ladder.reduce((sum, gap) => sum + gap, 0)
    return createReport({
      target: receiver.name(),
      seed: settings.seed,
      mode: sending.timeline.mode,
      deliveries,
      durationMs: Date.now() - begun,
      ladder: { attempts: sending.ladder.length + 1, ms },
      passedMs,
      results,
    })
  }

  return {
    seed: settings.seed,
    startsProcess: receiver.kind === 'process',
    scenarios: planned.map((scenario) => {
      const reason = unshown(settings, sending, scenario)
      const { id, title } = scenario
      return { id, title, ...(reason !== undefined && { unshown: reason }) }
    }),
    async run(ids = planned.map(({ id }) => id)) {
      for (const id of ids) find(id)
      try {
        return await runAll(ids)
      } finally {
        await receiver.close()
      }
    },
    runOne: async (id) => queue(id),
    close: receiver.close,
  }
}

const NO_FIRST = 'a first delivery does not book'

/** What a kit runs when nothing is named. */
function plan(settings: KitSettings): readonly Scenario[] {
  const { also = [], without = [] } = settings
  for (const id of [...also, ...without]) find(id)
  return SCENARIOS.filter(
    ({ id, isOptional, fits }) =>
      (!isOptional || also.includes(id)) && !without.includes(id) && (fits?.(settings) ?? true),
  )
}

function find(id: string): Scenario {
  const scenario = SCENARIOS.find((one) => one.id === id)
  const known = SCENARIOS.map((one) => one.id).join(', ')
  return scenario ?? fail('testing_invalid', `no such scenario; there are ${known}`)
}

function unshown(
  settings: KitSettings,
  { receiver, timeline }: SenderSettings,
  scenario: Scenario,
): string | undefined {
  if (!(scenario.fits?.(settings) ?? true)) return 'the story has no part for it'
  if (scenario.isLong && timeline.mode === 'real') return 'long waits; run it in mode skip'
  return scenario.unshown?.(settings, receiver)
}

type Outcome = Pick<ScenarioResult, 'outcome' | 'detail' | 'failure'>

async function outcomeOf(id: string, run: Scenario['run'], stage: OpenStage): Promise<Outcome> {
  try {
    return { outcome: 'shown', detail: await run(stage) }
  } catch (error) {
    if (error instanceof NotShown) return { outcome: 'not shown', detail: error.message }
    if (error instanceof TotalReached) {
      // `limits.total`, or `--total`.
      const { total } = error as TotalReached
      return { outcome: 'not shown', detail: `${total} requests are sent; raise the total` }
    }
    if (!(error instanceof ProofFailure)) throw error
    const { message, diagnosis, subject } = error
    const { seed, replay } = stage.settings
    return {
      outcome: 'failed',
      detail: message,
      failure: {
        ...diagnosis,
        resource: subject.id,
        timeline: stage.timelineOf(subject),
        replay: replay(id, seed),
      },
    }
  }
}
