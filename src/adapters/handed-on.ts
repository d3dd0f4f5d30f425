import { WebhookConfigError } from '../core/errors.ts'

/** What one framework or another takes for an answer, or shows to the sender. */
const ANSWERS = [
  'status',
  'statusCode',
  'statusText',
  'statusMessage',
  'headers',
  'data',
  'expose',
  'code',
  'digest',
  'getResponse',
  'toResponse',
]

/**
 * What an adapter hands on to its framework of what was thrown: an Error as it is, unless some
 * framework would take it, or its cause, for an answer. That, and all that is no Error, which one or
 * the other takes for nothing at all, stands at the end of the causes of an Error that says nothing.
 */
export function handedOn(thrown: unknown): unknown {
  const isError = thrown instanceof Error
  if (isError && (thrown instanceof WebhookConfigError || isMute(thrown))) return thrown
  // In two layers: there are frameworks that look at a cause as well, or show one that is text.
  const error = wrap(wrap(thrown))
  // Many a log has the stack alone.
  if (isError && thrown.stack) error.stack = thrown.stack
  return error
}

function isMute(error: Error): boolean {
  return ANSWERS.every((name) => !(name in error || name in Object(error.cause)))
}

function wrap(cause: unknown): Error {
  return new Error('webhook(): what your code threw is the last cause of this', { cause })
}
