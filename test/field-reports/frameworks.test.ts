import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { webhook as azure } from '../../dist/adapters/azure.js'
import { webhook as lambda, toWebhookRequest as ofLambda } from '../../dist/adapters/lambda.js'
import { webhook as node } from '../../dist/adapters/node.js'
import { verify } from '../../dist/index.js'
import { listening } from '../adapters/servers.ts'
import { BODY, delivery, EVENT, options } from '../fixtures.ts'
import { ROOT } from '../package/package-json.ts'
import { leftOut } from '../requirements.ts'

// What frameworks and platforms did to a delivery, where the contract of adapters has no check of it.

const modules = 'test/frameworks/node_modules'
const missing = existsSync(join(ROOT, modules)) ? [] : [modules]
const SERVERS = '../frameworks/servers/read-again.js'

const GOOD = delivery(BODY)
const post = (url: string) =>
  fetch(url, {
    method: 'POST',
    headers: { ...GOOD.headers, 'Content-Type': 'application/json' },
    body: BODY,
    signal: AbortSignal.timeout(20_000),
  })

describe.skipIf(leftOut(missing))('a framework of row', () => {
  test('93: the handler has event and bytes, and reading once more says why it cannot', async () => {
    const { honoReadingAgain } = await import(SERVERS)
    const seen: unknown[] = []
    await listening(honoReadingAgain(options, againInto(seen)), async (url) =>
      expect((await post(url)).status).toBe(204),
    )
    expect(seen).toEqual([[EVENT, BODY, expect.stringMatching(/body|read|used|lock/iu)]])
  })

  test('94: the handler has event and bytes on either kind of server', async () => {
    const { h3ReadingAgain } = await import(SERVERS)
    const seen: unknown[] = []
    const app = h3ReadingAgain(options, againInto(seen))
    const request = new Request('http://localhost/', { method: 'POST', ...GOOD })
    expect((await app.fetch(request)).status).toBe(204)
    await listening(app.node, async (url) => expect((await post(url)).status).toBe(204))
    const found = [EVENT, BODY, expect.stringMatching(/body|read|used|lock/iu)]
    expect(seen).toEqual([found, found])
  })
})

/** Notes what a handler was given, and what came of reading the body once more. */
const againInto =
  (seen: unknown[]) =>
  async (accepted: { event: unknown; body: Uint8Array }, again: () => Promise<unknown>) => {
    const answer = await again().catch((error) => String(error))
    seen.push([accepted.event, Buffer.from(accepted.body).toString(), answer])
  }

describe('a platform of row', () => {
  test('15: a request that was destroyed before is over at once', async () => {
    const rejected: string[] = []
    const receive = node(
      { ...options, onRejected: ({ reason }) => rejected.push(reason) },
      () => {},
    )
    let over: () => void
    const answered = new Promise<void>((resolve) => {
      over = resolve
    })
    const server = createServer(async (request, response) => {
      request.destroy()
      await receive(request, response)
      over()
    })
    await listening(server, async (url) => {
      await expect(post(url)).rejects.toThrow()
      await answered
    })
    expect(rejected).toEqual(['body_incomplete'])
  })

  test('21: a body that a middleware parsed is not serialised again', async () => {
    const event = { httpMethod: 'POST', headers: GOOD.headers, body: EVENT as never }
    await expect(lambda(options, () => {})(event, {})).rejects.toMatchObject({
      code: 'body_not_raw',
      message: expect.stringMatching(/middleware/u),
    })
  })

  const EVENTS = {
    'version 1': { httpMethod: 'POST', headers: GOOD.headers, body: BODY },
    'version 2': {
      requestContext: { http: { method: 'POST' } },
      headers: GOOD.headers,
      body: BODY,
      isBase64Encoded: false,
    },
  }
  test.each(Object.entries(EVENTS))(
    '22: an event of %s is told that it is no request, and has an adapter of its own',
    async (_, event) => {
      const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
      const passed: unknown[] = []
      const wrong = node(options, () => {}) as (...args: unknown[]) => Promise<void>
      await wrong(event, {}, (error: unknown) => passed.push(error))
      expect(passed).toEqual([expect.objectContaining({ code: 'headers_invalid' })])
      errors.mockRestore()
      expect(await lambda(options, () => {})(event, {})).toMatchObject({ statusCode: 204 })
    },
  )

  test('23: an authoriser is told that it gets no body', async () => {
    const event = { type: 'REQUEST', httpMethod: 'POST', headers: GOOD.headers }
    await expect(lambda(options, () => {})(event, {})).rejects.toMatchObject({
      code: 'body_not_raw',
      message: expect.stringMatching(/authorizer/u),
    })
    expect(() => ofLambda(event)).toThrow(/authorizer/u)
  })

  test('25: of a parsed body and its text, the text is passed, and the parsed one refused', async () => {
    const old = { method: 'POST', headers: GOOD.headers, body: EVENT, rawBody: BODY }
    const kept = { headers: old.headers, body: old.rawBody }
    expect(await verify(kept, options)).toMatchObject({ ok: true })
    await expect(azure(options, () => {})(old as never, {})).rejects.toMatchObject({
      code: 'body_not_raw',
    })
  })
})
