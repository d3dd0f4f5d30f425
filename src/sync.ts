export type { SyncHmacEngine, SyncHmacKey } from './core/engine.ts'
export {
  type ConfigErrorCode,
  WebhookConfigError,
  WebhookVerificationError,
} from './core/errors.ts'
export { REASONS, type Reason, type RefusalStatus, type Stage } from './core/reasons.ts'
export type { SyncWebhookInput } from './core/request.ts'
export type { SignDraft, SignedHeaders } from './core/scheme.ts'
export type { Secret } from './core/secrets.ts'
export type { Accepted, Delivery, Rejected, Verdict, Warning } from './core/verdict.ts'
export type * from './events/paymos.ts'
export {
  constructEvent,
  createSyncSigner,
  createSyncVerifier,
  type SyncSigner,
  type SyncSignOptions,
  type SyncVerifier,
  type SyncVerifyOptions,
  verifySync,
} from './verify-sync.ts'
