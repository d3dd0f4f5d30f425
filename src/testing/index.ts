export type { Attempt, Fault, SendOptions } from './attempt.ts'
export { type ChildOptions, childProcess, type ProcessTarget } from './child.ts'
export { createClock, type TestClock, type TimeMode } from './clock.ts'
export type { FaultGroup, ReceiverFault } from './faults.ts'
export { createGate, type Gate } from './gate.ts'
export type { Handler, WebRequest, WebRequestShape } from './in-process.ts'
export { type Kit, type PlannedScenario, replayKit } from './kit.ts'
export type { GateControl, KitOptions, Observation, ReconcileFindings } from './kit-options.ts'
export { LADDER } from './ladder.ts'
export {
  type DeliveryOrder,
  type Message,
  type MessageOptions,
  signedDelivery,
  toMessage,
} from './message.ts'
export { githubMessage, metaEvent, standardWebhooksEvent, stripeEvent } from './other-events.ts'
export type { Limits } from './pacing.ts'
export { fanOut, PAYMOS_EVENT_TYPES, type PaymosEventParts, paymosEvent } from './paymos-events.ts'
export { proofs, type TestFunctions } from './proofs.ts'
export type { Report, ReportFacts, ScenarioResult } from './report.ts'
export {
  type BurstOptions,
  createSender,
  type DeliverOptions,
  type DeliveryRecord,
  type FaultPlan,
  type RotateOptions,
  type Sender,
} from './sender.ts'
export type { SenderOptions } from './sender-options.ts'
export { githubStory, metaStory, standardWebhooksStory, stripeStory } from './stories.ts'
export { paymosStory, type Scene, type Story, type Subject, type Telling } from './story.ts'
export type { Target } from './target.ts'
export type { AttemptEntry, StepEntry, TimelineEntry } from './timeline.ts'
