export type {
  Answer,
  ApplyContext,
  EventOf,
  Handler,
  KeyParts,
  PrepareContext,
} from './handlers.ts'
export {
  createInbox,
  type Inbox,
  type InboxAnswer,
  type InboxOptions,
  type RecordInfo,
  type RedriveOrder,
} from './inbox.ts'
export { type MemoryStoreOptions, type MemoryTransaction, memoryStore } from './memory.ts'
export type { ResourceState } from './ranks.ts'
export type { Discrepancy, ReconcileOrder, ReconcileReport, Resource } from './reconcile.ts'
export type { BaseInboxOptions, Retention } from './settings.ts'
export type * from './signals.ts'
export type * from './store.ts'
export type { CancelSignal, CancelSignalShape } from './timers.ts'
export type { DrainOptions } from './worker.ts'
