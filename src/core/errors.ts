import type { Reason, RefusalStatus, Stage } from './reasons.ts'
import type { Rejected } from './verdict.ts'

/** What an integrator got wrong; see each message for what to do. */
export type ConfigErrorCode =
  | 'secret_missing'
  | 'secret_invalid'
  | 'tolerance_invalid'
  | 'now_invalid'
  | 'limit_invalid'
  | 'option_unknown'
  | 'handler_invalid'
  | 'scheme_invalid'
  | 'schema_malformed'
  | 'schema_async'
  | 'engine_unavailable'
  | 'headers_invalid'
  | 'body_not_raw'
  | 'body_already_read'
  | 'inbox_invalid'
  | 'store_invalid'
  | 'table_missing'
  | 'id_unsigned'
  | 'apply_async'
  | 'testing_invalid'

/**
 * A mistake in the code around the verification, never something a sender can cause. The message
 * says what to change. `instanceof` goes by name, so that it holds between the ESM and the CommonJS
 * copy and across realms.
 */
export class WebhookConfigError extends Error {
  override readonly name = 'WebhookConfigError'
  readonly code: ConfigErrorCode

  constructor(code: ConfigErrorCode, message: string) {
    super(message)
    this.code = code
  }

  static override [Symbol.hasInstance](value: unknown): value is WebhookConfigError {
    return Object.hasOwn(this, Symbol.hasInstance)
      ? hasName(value, 'WebhookConfigError')
      : super[Symbol.hasInstance](value)
  }
}

/**
 * A refused delivery, thrown by `verifyOrThrow` and `constructEvent`. It holds the reason and never
 * the secret, the expected signature, the header or the body. `instanceof` goes by name, as above.
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly reason: Reason
  readonly stage: Stage
  readonly status: RefusalStatus

  constructor(reason: Reason, stage: Stage, status: RefusalStatus, detail: string) {
    super(`${reason}: ${detail}`)
    this.reason = reason
    this.stage = stage
    this.status = status
  }

  static override [Symbol.hasInstance](value: unknown): value is WebhookVerificationError {
    return Object.hasOwn(this, Symbol.hasInstance)
      ? hasName(value, 'WebhookVerificationError')
      : super[Symbol.hasInstance](value)
  }
}

/** Throws for a mistake of the integrator's. */
export function fail(code: ConfigErrorCode, message: string): never {
  throw new WebhookConfigError(code, message)
}

export function verificationError(refusal: Rejected): WebhookVerificationError {
  return new WebhookVerificationError(refusal.reason, refusal.stage, refusal.status, refusal.detail)
}

function hasName(value: unknown, name: string): boolean {
  return (
    Object.prototype.toString.call(value) === '[object Error]' && (value as Error).name === name
  )
}
