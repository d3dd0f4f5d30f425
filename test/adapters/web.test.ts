import { afterEach, describe, expect, test, vi } from 'vitest'
import { webhook as browser } from '../../dist/adapters/browser.js'
import { webhook as bun } from '../../dist/adapters/bun.js'
import { webhook as deno } from '../../dist/adapters/deno.js'
import { webhook as fetching } from '../../dist/adapters/fetch.js'
import { webhook as node } from '../../dist/adapters/node.js'
import { webhook as workers } from '../../dist/adapters/workers.js'
import { subscribableMeta } from '../../dist/schemes/meta.js'
import { BODY, delivery, EVENT, options } from '../fixtures.ts'
import { CHECKS, runCheck } from './contract.ts'
import { createReceiver } from './receiver.js'
import { bridged, listening, targetOf } from './servers.ts'

const FETCH_STYLE = { fetch: fetching, deno, bun, browser }
type Serve = (request: Request) => Promise<Response>

const GOOD = delivery(BODY)
const post = (init: RequestInit = {}) =>
  new Request('https://example.com/hook', { method: 'POST', ...GOOD, ...init })

afterEach(() => {
  vi.unstubAllGlobals()
})

const MAKERS: Readonly<Record<string, (receiver: ReturnType<typeof createReceiver>) => Serve>> = {
  ...Object.fromEntries(
    Object.entries(FETCH_STYLE).map(([name, webhook]) => [
      name,
      ({ options, handler }: ReturnType<typeof createReceiver>) => webhook(options, handler),
    ]),
  ),
  workers({ options, handler }) {
    const serve = workers(() => options, handler)
    return (request) => serve(request, {}, {})
  },
}

// With a real server of each runtime: test/runtimes.
describe.each(Object.entries(MAKERS))(
  'the contract with hookproof/%s, on web requests',
  (_, make) => {
    const checks = CHECKS.filter(({ raw }) => !raw)
    test.each(checks.map((check) => [check.name, check] as const))('%s', (_, check) => {
      const receiver = createReceiver()
      return listening(bridged(receiver.control, make(receiver)), (url) =>
        runCheck(check, targetOf(url)),
      )
    })
  },
)

describe.each(Object.entries(FETCH_STYLE))('hookproof/%s', (name, webhook) => {
  test('gives the handler the request and all that stood behind it', async () => {
    const handler = vi.fn()
    const onRejected = vi.fn()
    const receive = (webhook as typeof fetching)({ ...options, onRejected }, handler)
    const [good, bad] = [post(), post({ headers: {} })]
    await receive(good, 'info', 1)
    await receive(bad, 'info', 2)
    expect(handler.mock.calls).toEqual([
      [expect.objectContaining({ ok: true, event: EVENT }), { request: good, args: ['info', 1] }],
    ])
    expect(onRejected.mock.calls).toEqual([
      [expect.objectContaining({ reason: 'header_missing' }), { request: bad, args: ['info', 2] }],
    ])
  })

  test('answers with a Response of this runtime', async () => {
    expect(await webhook(options, () => {})(post())).toBeInstanceOf(Response)
  })

  test("asks the scheme about a provider's question", async () => {
    const scheme = subscribableMeta('test_only_token')
    const receive: Serve = webhook({ secret: 'test_only', scheme }, () => {})
    const ask = (token: string) =>
      receive(
        new Request(
          `https://example.com/?hub.mode=subscribe&hub.challenge=42&hub.verify_token=${token}`,
        ),
      )
    const answer = await ask('test_only_token')
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/plain',
      '42',
    ])
    expect((await ask('guessed')).status).toBe(403)
  })

  if (name !== 'browser') {
    test('throws on what the handler throws, to the server', async () => {
      const error = new Error('database away')
      const receive = webhook(options, () => Promise.reject(error))
      await expect(receive(post())).rejects.toBe(error)
    })

    test('throws on body_already_read for a body that was used, locked or split', async () => {
      const receive = webhook(options, () => {})
      const used = post()
      await used.text()
      const locked = post()
      locked.body?.getReader()
      const split = post()
      split.body?.tee()
      for (const request of [used, locked, split]) {
        await expect(receive(request)).rejects.toMatchObject({ code: 'body_already_read' })
      }
      const twice = post()
      await receive(twice)
      await expect(receive(twice)).rejects.toMatchObject({ code: 'body_already_read' })
    })
  }
})

describe('a body stream', () => {
  const receive: Serve = fetching({ ...options, maxBodyBytes: 1000 }, () => {})
  const streamed = (source: UnderlyingDefaultSource<Uint8Array>, headers: object = GOOD.headers) =>
    post({
      headers: headers as Record<string, string>,
      body: new ReadableStream(source),
      duplex: 'half',
    } as RequestInit)
  const answer = async (request: Request) => {
    const response = await receive(request)
    return [response.status, await response.text()]
  }

  test('that fails is refused', async () => {
    const start = (controller: ReadableStreamDefaultController) => {
      controller.enqueue(Buffer.from(BODY))
      controller.error(new Error('reset'))
    }
    expect(await answer(streamed({ start }))).toEqual([400, '{"error":"size"}'])
  })

  test('that never ends is given up at the limit', async () => {
    let pulled = 0
    const cancel = vi.fn()
    const pull = (controller: ReadableStreamDefaultController) => {
      pulled++
      controller.enqueue(new Uint8Array(400))
    }
    expect(await answer(streamed({ pull, cancel }))).toEqual([413, '{"error":"size"}'])
    expect(pulled).toBeLessThan(6)
    expect(cancel).toHaveBeenCalledOnce()
  })

  test('is not touched if the header is refused', async () => {
    const pull = vi.fn()
    const request = streamed({ pull, type: undefined }, {})
    expect(await answer(request)).toEqual([400, '{"error":"header"}'])
    expect(request.bodyUsed).toBe(false)
  })
})

describe('hookproof/workers', () => {
  test('asks for the options once per environment', async () => {
    const of = vi.fn((env: { secret: string }) => ({ ...options, secret: env.secret }))
    const handler = vi.fn()
    const receive = workers(of, handler)
    const [ours, other] = [{ secret: options.secret }, { secret: 'test_only_other' }]
    const statuses: number[] = []
    for (const env of [ours, other, ours, other]) {
      statuses.push((await receive(post(), env, 'context')).status)
    }
    expect(statuses).toEqual([204, 401, 204, 401])
    expect(of.mock.calls).toEqual([[ours], [other]])
    const [, context] = handler.mock.calls[0] ?? []
    expect(context).toEqual({ request: expect.any(Request), env: ours, context: 'context' })
  })

  test('asks again if that failed', async () => {
    const of = vi.fn(() => ({ secret: '' }))
    const receive = workers(of, () => {})
    const env = {}
    for (let i = 0; i < 2; i++) {
      await expect(receive(post(), env, {})).rejects.toMatchObject({ code: 'secret_missing' })
    }
    expect(of).toHaveBeenCalledTimes(2)
  })

  test('takes an environment that is no object', async () => {
    const receive = workers(
      () => options,
      () => {},
    )
    expect((await receive(post(), undefined, undefined)).status).toBe(204)
  })

  test('checks options that are no function at once', () => {
    expect(() => workers({ secret: '' }, () => {})).toThrow(
      expect.objectContaining({ code: 'secret_missing' }),
    )
    expect(workers(options, () => {})).toBeTypeOf('function')
  })
})

test('hookproof/browser answers 500 itself and reports the error', async () => {
  const reportError = vi.fn()
  vi.stubGlobal('reportError', reportError)
  const receive: Serve = browser(options, () => Promise.reject(new Error('database away')))
  const response = await receive(post())
  expect([response.status, await response.text()]).toEqual([500, '{"error":"internal"}'])
  expect(reportError.mock.calls).toEqual([[new Error('database away')]])
})

describe.each(Object.entries({ ...FETCH_STYLE, node }))('hookproof/%s, at once', (_, webhook) => {
  const make = webhook as (options: unknown, handler?: unknown) => unknown
  const MISTAKES: readonly [code: string, options: unknown, handler?: unknown][] = [
    ['secret_missing', undefined, () => {}],
    ['secret_missing', { secret: '' }, () => {}],
    ['scheme_invalid', { secret: 'a', scheme: undefined }, () => {}],
    ['option_unknown', { secret: 'a', onReject: () => {} }, () => {}],
    ['handler_invalid', { secret: 'a' }],
    ['handler_invalid', { secret: 'a', onRejected: 'log' }, () => {}],
  ]

  test.each(MISTAKES)('throws %s for %j', (code, options, handler) => {
    expect(() => make(options, handler)).toThrow(
      expect.objectContaining({ name: 'WebhookConfigError', code }),
    )
  })

  test('names onRejected among the options there are', () => {
    expect(() => make({ secret: 'a', onReject: () => {} }, () => {})).toThrow(/onRejected/u)
  })
})

test('hookproof/browser says where to turn where there is no WebCrypto', () => {
  vi.stubGlobal('crypto', {})
  expect(() => browser(options, () => {})).toThrow(
    expect.objectContaining({
      code: 'engine_unavailable',
      message: expect.stringContaining('hookproof/sync'),
    }),
  )
})

test('what is no request is a mistake that is told', async () => {
  const receive = fetching({ secret: 'test_only' }, () => {})
  for (const wrong of [{ request: new Request('http://localhost') }, undefined, 'POST']) {
    await expect(receive(wrong as never)).rejects.toMatchObject({ code: 'headers_invalid' })
  }
})
