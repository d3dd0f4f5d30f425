import { WebhookConfigError } from '../core/errors.ts'
import type { Receive } from './receive.ts'

/**
 * The same, with one sentence more where the bytes of a body are lost: how to keep them in this
 * framework.
 */
export function withRawBodyAdvice<C>(receive: Receive<C>, advice: string): Receive<C> {
  return async (incoming) => {
    try {
      return await receive(incoming)
    } catch (error) {
      const { code, message } = Object(error)
      if (code !== 'body_not_raw' && code !== 'body_already_read') throw error
      throw new WebhookConfigError(code, `${message}. ${advice}`)
    }
  }
}
