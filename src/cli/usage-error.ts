import type { ConfigErrorCode } from '../core/errors.ts'

/** What the person at the keyboard can put right; each code has one exit status, 2. */
export type UsageCode =
  | ConfigErrorCode
  | 'command_unknown'
  | 'arguments_invalid'
  | 'secret_on_command_line'
  | 'url_invalid'
  | 'id_invalid'
  | 'timestamp_invalid'
  | 'file_unreadable'
  | 'file_too_large'
  | 'file_unwritable'
  | 'file_foreign'
  | 'expectations_invalid'
  | 'hook_failed'
  | 'start_failed'
  | 'type_unknown'
  | 'delivery_malformed'
  | 'delivery_incomplete'

/** The message says what to do, and never quotes a secret, a header's value or a body. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code: UsageCode

  constructor(code: UsageCode, message: string) {
    super(message)
    this.code = code
  }
}

export function misuse(code: UsageCode, message: string): never {
  throw new UsageError(code, message)
}
