export type { HmacEngine, HmacKey, SyncHmacEngine, SyncHmacKey } from './core/engine.ts'
export {
  type ConfigErrorCode,
  WebhookConfigError,
  WebhookVerificationError,
} from './core/errors.ts'
export type { HeaderReader } from './core/headers.ts'
export type { BaseOptions, SchemaResult, StandardSchema } from './core/options.ts'
export { REASONS, type Reason, type RefusalStatus, type Stage } from './core/reasons.ts'
export type {
  BodylessRequest,
  ByteReader,
  ByteStream,
  HeaderLookup,
  HeadersInput,
  RawBody,
  RequestParts,
  WebhookInput,
} from './core/request.ts'
export type {
  Decoded,
  HandshakeAnswer,
  HandshakeRequest,
  Scheme,
  SignDraft,
  SignedHeaders,
  SignedParts,
  StampedDraft,
} from './core/scheme.ts'
export type { Secret } from './core/secrets.ts'
export type { BaseSignOptions } from './core/signer.ts'
export type { Accepted, Delivery, Rejected, Verdict, Warning } from './core/verdict.ts'
export type * from './events/paymos.ts'
export {
  createSigner,
  createVerifier,
  type Signer,
  type SignOptions,
  type Verifier,
  type VerifyOptions,
  verify,
  verifyOrThrow,
} from './verify.ts'
