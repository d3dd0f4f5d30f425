import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createInbox, memoryStore } from '../../dist/inbox/index.js'
import { stripe } from '../../dist/schemes/index.js'
import { options } from '../fixtures.ts'
import { ROOT } from '../package/package-json.ts'

// Every adapter takes an inbox in place of the handler; what it answers then is tested over sockets
// in test/inbox/adapter.test.ts.

const adapters = readdirSync(`${ROOT}/dist/adapters`).filter((file) => file.endsWith('.js'))
const inbox = createInbox({ store: memoryStore(), handlers: {} })

test('all of them are here', () => {
  expect(adapters.length).toBeGreaterThanOrEqual(17)
})

describe.each(adapters)('%s', async (file) => {
  const { webhook } = await import(`../../dist/adapters/${file}`)
  const code = (...given: unknown[]): unknown => {
    try {
      webhook(...given)
      return 'none'
    } catch (error) {
      return (error as { code?: unknown }).code
    }
  }

  test.each([
    ['none', 'an inbox', [{ ...options, inbox }]],
    ['none', 'a handler', [options, () => {}]],
    ['handler_invalid', 'neither', [options]],
    ['handler_invalid', 'both', [{ ...options, inbox }, () => {}]],
    ['inbox_invalid', 'an inbox of another provider', [{ ...options, scheme: stripe, inbox }]],
  ])('gives %s for %s', (expected, _, given) => {
    expect(code(...given)).toBe(expected)
  })
})
