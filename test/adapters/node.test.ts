import { once } from 'node:events'
import {
  Agent,
  request as clientRequest,
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  type Http2ServerRequest,
} from 'node:http2'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { toWebhookRequest, webhook } from '../../dist/adapters/node.js'
import { type Rejected, verify } from '../../dist/index.js'
import { subscribableMeta } from '../../dist/schemes/meta.js'
import { BODY, delivery, EVENT, options } from '../fixtures.ts'
import { CHECKS, runCheck } from './contract.ts'
import { http2Fetch } from './http2-fetch.ts'
import { createReceiver } from './receiver.js'
import { listening, targetOf } from './servers.ts'

/** What was written to the console. */
let reported: unknown[]
beforeEach(() => {
  reported = []
  vi.spyOn(console, 'error').mockImplementation((error) => reported.push(error))
})
afterEach(() => {
  vi.restoreAllMocks()
})

const GOOD = delivery(BODY)
const post = (url: string, { headers, body } = GOOD) =>
  fetch(url, { method: 'POST', headers, body })

describe('the contract under node:http', () => {
  test.each(CHECKS.map((check) => [check.name, check] as const))('%s', (_, check) => {
    const { options, handler, control } = createReceiver()
    const receive = webhook(options, handler)
    const server = createServer((request, response) => {
      const record = control(request.url)
      return record === undefined ? receive(request, response) : response.end(record)
    })
    return listening(server, (url) => runCheck(check, targetOf(url)))
  })
})

describe('the contract under node:http2', () => {
  const checks = CHECKS.filter(({ raw }) => !raw)
  test.each(checks.map((check) => [check.name, check] as const))('%s', (_, check) => {
    const { options, handler, control } = createReceiver()
    const receive = webhook(options, handler)
    const server = createHttp2Server((request, response) => {
      const record = control(request.url)
      return record === undefined ? receive(request, response) : response.end(record)
    })
    return listening(server, (url) => runCheck(check, { url, fetch: http2Fetch }))
  })
})

describe('what a parser has left of the body', () => {
  type Parsed = IncomingMessage & { body?: unknown; rawBody?: unknown }

  /** What the request holds by the time the handler is called. */
  const PARSERS: readonly [name: string, parse: (request: Parsed) => unknown][] = [
    ['nothing yet', () => {}],
    [
      'an empty object, without having read the stream',
      (request) => Object.assign(request, { body: {} }),
    ],
    [
      'its bytes as body',
      async (request) => Object.assign(request, { body: await buffer(request) }),
    ],
    ['its text as body', async (request) => Object.assign(request, { body: await text(request) })],
    [
      'a parsed body beside its bytes as rawBody',
      async (request) => {
        const rawBody = await buffer(request)
        Object.assign(request, { rawBody, body: JSON.parse(rawBody.toString()) })
      },
    ],
    [
      'a body that throws when it is looked at, and an unread stream',
      (request) =>
        Object.defineProperty(request, 'body', {
          get() {
            throw new Error('400 Invalid JSON')
          },
        }),
    ],
  ]

  test.each(PARSERS)('%s: accepted', async (_, parse) => {
    const handler = vi.fn()
    const receive = webhook(options, handler)
    const server = createServer(async (request, response) => {
      await parse(request)
      await receive(request, response)
    })
    await listening(server, async (url) => expect((await post(url)).status).toBe(204))
    expect(handler.mock.calls.map(([{ event }]) => event)).toEqual([EVENT])
  })

  const LOST: readonly [name: string, code: string, parse: (request: Parsed) => unknown][] = [
    [
      'a parsed body alone',
      'body_not_raw',
      async (request) => Object.assign(request, { body: JSON.parse(await text(request)) }),
    ],
    ['a stream that was read', 'body_already_read', (request) => text(request)],
    ['a stream that was set to text', 'body_not_raw', (request) => request.setEncoding('utf8')],
    [
      'a rawBody that is none',
      'body_not_raw',
      (request) => Object.assign(request, { rawBody: true }),
    ],
  ]

  test.each(LOST)('%s: 500, and %s is reported', async (_, code, parse) => {
    const receive = webhook(options, () => {})
    const server = createServer(async (request, response) => {
      await parse(request)
      await receive(request, response)
    })
    await listening(server, async (url) => {
      const response = await post(url)
      expect([response.status, await response.text()]).toEqual([500, '{"error":"internal"}'])
    })
    expect(reported).toEqual([expect.objectContaining({ name: 'WebhookConfigError', code })])
  })
})

describe('an error', () => {
  const failing = webhook(options, () => {
    throw new Error('database away')
  })

  test('goes to next, if there is one, which answers', async () => {
    const passed: unknown[] = []
    const server = createServer((request, response) =>
      failing(request, response, (error) => {
        passed.push(error)
        response.writeHead(503).end()
      }),
    )
    await listening(server, async (url) => expect((await post(url)).status).toBe(503))
    expect([passed, reported]).toEqual([[new Error('database away')], []])
  })

  test('else to the console, and the server goes on', async () => {
    await listening(createServer(failing), async (url) => {
      for (let i = 0; i < 2; i++) expect((await post(url)).status).toBe(500)
    })
    expect(reported).toEqual([new Error('database away'), new Error('database away')])
  })

  test('that may be an answer, or is none, is the last cause of one that says nothing', async () => {
    const gone = Object.assign(new Error('database away'), { status: 404 })
    const told = new Error('no such row', { cause: gone })
    for (const thrown of [gone, told, 'route', undefined]) {
      const passed: Error[] = []
      const receive = webhook(options, () => Promise.reject(thrown))
      const server = createServer((request, response) =>
        receive(request, response, (error) => {
          passed.push(error as Error)
          response.writeHead(500).end()
        }),
      )
      await listening(server, async (url) => expect((await post(url)).status).toBe(500))
      const error = passed[0] as Error
      expect(error.message).toMatch(/^webhook\(\): .* the last cause of this$/u)
      expect((error.cause as Error).cause).toBe(thrown)
      // Logs of the stack alone have what they would have had.
      if (thrown instanceof Error) expect(error.stack).toBe(thrown.stack)
    }
  })

  test('is thrown on where no response of Node was passed', async () => {
    const event = { headers: {}, body: '', requestContext: { http: { method: 'POST' } } }
    await expect(failing(event as never, {} as never)).rejects.toMatchObject({
      code: 'headers_invalid',
    })
    expect(reported).toEqual([])
  })

  test('of a scheme whose handshake has an impossible status is reported too', async () => {
    const scheme = {
      ...subscribableMeta('test_only_token'),
      handshake: () => ({ status: 1, body: '' }),
    }
    const receive = webhook({ secret: 'test_only', scheme }, () => {})
    await listening(createServer(receive), async (url) =>
      expect((await fetch(url)).status).toBe(500),
    )
    expect(reported).toHaveLength(1)
  })

  test('behind a head that the handler sent resets the stream of HTTP/2', () => {
    const receive = webhook(options, (_, { response }) => {
      const answer = response as unknown as ServerResponse
      answer.writeHead(200).write('half')
      throw new Error('database down')
    })
    return listening(createHttp2Server(receive), async (url) => {
      const session = connectHttp2(url)
      const stream = session.request({ ':method': 'POST', ...GOOD.headers })
      stream.end(BODY)
      const [error] = await once(stream.resume(), 'error')
      expect(error).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' })
      expect(reported).toHaveLength(1)
      session.destroy()
    })
  })

  test('behind a head that the handler sent breaks the connection', async () => {
    const receive = webhook(options, (_, { response }: { response: ServerResponse }) => {
      response.writeHead(200, { 'Content-Length': 1000 }).write('half')
      throw new Error('too late')
    })
    await listening(createServer(receive), async (url) => {
      await expect(post(url).then((response) => response.text())).rejects.toThrow()
    })
    expect(reported).toEqual([new Error('too late')])
  })
})

test('a handler may answer by itself', async () => {
  const receive = webhook(options, ({ delivery }, { response }: { response: ServerResponse }) => {
    response.writeHead(202, { 'X-Id': delivery.id }).end()
  })
  await listening(createServer(receive), async (url) => {
    const response = await post(url)
    expect([response.status, response.headers.get('x-id')]).toEqual([202, 'evt_1'])
  })
})

test("a provider's question is answered by its scheme, as text", async () => {
  const scheme = subscribableMeta('test_only_token')
  const receive = webhook({ secret: 'test_only', scheme }, () => {})
  await listening(createServer(receive), async (url) => {
    const ask = (token: string) =>
      fetch(`${url}/hook?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`)
    const answer = await ask('test_only_token')
    expect([answer.status, await answer.text()]).toEqual([200, '1158201444'])
    expect(answer.headers.get('content-type')).toBe('text/plain')
    expect((await ask('guessed')).status).toBe(403)
    expect((await fetch(url)).status).toBe(405)
  })
})

/** Runs a receiver of its own, and gives what came of its first request. */
async function watch<R extends IncomingMessage | Http2ServerRequest>(
  create: typeof createServer | typeof createHttp2Server,
  send: (url: string) => Promise<unknown>,
  settings: object = {},
) {
  const refused: Rejected[] = []
  const handler = vi.fn()
  const receive = webhook({ ...options, maxBodyBytes: 1000, onRejected }, handler)
  function onRejected(rejected: Rejected): void {
    refused.push(rejected)
  }
  let over: (found: { request: R; added: number[] }) => void
  const first = new Promise<{ request: R; added: number[] }>((resolve) => {
    over = resolve
  })
  const server = (create as typeof createServer)(settings, async (request, response) => {
    const before = listeners(request)
    await receive(request, response)
    const added = listeners(request).map((count, index) => count - (before[index] ?? 0))
    over({ request: request as unknown as R, added })
  })
  return listening(server, async (url) => {
    await send(url)
    const { request, added } = await first
    return { request, added, reasons: refused.map(({ reason }) => reason), handler }
  })
}

function listeners(request: IncomingMessage): number[] {
  return ['readable', 'data', 'end', 'error', 'close'].map((event) => request.listenerCount(event))
}

const NONE_ADDED = [0, 0, 0, 0, 0]

describe('a body that does not come to its end', () => {
  test('because the client goes away is body_incomplete, and leaves no listener', async () => {
    const { added, reasons, handler } = await watch(createServer, async (url) => {
      const sent = clientRequest(url, {
        method: 'POST',
        headers: { ...GOOD.headers, 'Content-Length': 999 },
      })
      sent.on('error', () => {})
      await new Promise((resolve) => sent.write(BODY, resolve))
      sent.destroy()
    })
    expect([reasons, handler.mock.calls, reported]).toEqual([['body_incomplete'], [], []])
    expect(added).toEqual(NONE_ADDED)
  })

  test('because it goes away under HTTP/2 is body_incomplete as well', async () => {
    const { added, reasons, handler } = await watch(createHttp2Server, async (url) => {
      const session = connectHttp2(url)
      const stream = session.request({ ':method': 'POST', ...GOOD.headers })
      stream.on('error', () => {})
      await new Promise((resolve) => stream.write(BODY, resolve))
      await new Promise<void>((resolve) => session.ping(() => resolve()))
      session.destroy()
    })
    expect([reasons, handler.mock.calls, reported]).toEqual([['body_incomplete'], [], []])
    expect(added).toEqual(NONE_ADDED)
  })

  test('because it is too slow for the server is body_incomplete', async () => {
    const times = { requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 }
    const slow = async (url: string) => {
      const sent = clientRequest(url, {
        method: 'POST',
        headers: { ...GOOD.headers, 'Content-Length': 999 },
      })
      sent.on('error', () => {})
      sent.write(BODY)
      await once(sent, 'close')
    }
    const { reasons, handler } = await watch(createServer, slow, times)
    expect([reasons, handler.mock.calls, reported]).toEqual([['body_incomplete'], [], []])
  })

  test('because it never ends is answered with 413, and read no further', async () => {
    let answer = ''
    const { added, reasons } = await watch(createServer, async (url) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      const head = Object.entries(GOOD.headers).map((pair) => pair.join(': '))
      socket.write(
        ['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', ...head, '', ''].join('\r\n'),
      )
      socket.setEncoding('latin1').on('data', (text) => {
        answer += text
      })
      const more = () => {
        while (socket.writable && socket.write(`400\r\n${'x'.repeat(1024)}\r\n`));
      }
      socket.on('drain', more)
      more()
      await new Promise((resolve) => socket.once('close', resolve))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*\r\n/u)
    expect(answer).toMatch(/^connection: close\r$/imu)
    expect(answer).toMatch(/\{"error":"size"\}$/u)
    expect(reasons).toEqual(['body_too_large'])
    expect(added).toEqual(NONE_ADDED)
  })

  test('under HTTP/2 because it never ends is answered with 413, and closed', async () => {
    let answer = ''
    const { request, added, reasons } = await watch<Http2ServerRequest>(
      createHttp2Server,
      async (url) => {
        const session = connectHttp2(url)
        session.on('error', () => {})
        const stream = session.request({ ':method': 'POST', ...GOOD.headers })
        stream.on('error', () => {})
        stream.setEncoding('utf8').on('data', (text) => {
          answer += text
        })
        const more = () => {
          while (stream.writable && stream.write(new Uint8Array(1024)));
        }
        stream.on('drain', more)
        more()
        const [headers] = await once(stream, 'response')
        answer = `${headers[':status']} `
        // The sender gets the answer, and some time to stop before the stream is closed on it.
        await Promise.all([once(stream, 'end'), once(stream, 'close')])
        session.destroy()
      },
    )
    expect([answer, reasons]).toEqual(['413 {"error":"size"}', ['body_too_large']])
    expect(request.stream?.destroyed ?? true).toBe(true)
    // The one listener is what drops the rest.
    expect(added).toEqual([0, 1, 0, 0, 0])
  })
})

test('a connection goes on behind a refusal, unless much may be left of its body', async () => {
  let connections = 0
  const server = createServer(webhook({ ...options, maxBodyBytes: 1000 }, () => {}))
  server.on('connection', () => {
    connections++
  })
  await listening(server, async (url) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = async (headers: object, body: string | Uint8Array) => {
      const sent = clientRequest(url, { agent, method: 'POST', headers: { ...headers } })
      sent.on('error', () => {})
      sent.flushHeaders()
      const answered = once(sent, 'response')
      sent.end(body)
      const [response]: [IncomingMessage] = (await answered) as never
      await text(response)
      return `${response.statusCode} ${response.headers.connection}, ${connections}`
    }
    const large = new Uint8Array(2000)
    const huge = new Uint8Array(2 ** 21)
    expect(await send({ 'Content-Length': large.length }, large)).toBe('400 keep-alive, 1')
    expect(await send({ ...GOOD.headers, 'Content-Length': BODY.length }, BODY)).toBe(
      '204 keep-alive, 1',
    )
    const size = { 'Content-Length': large.length }
    expect(await send({ ...GOOD.headers, ...size }, large)).toMatch(/^413 /u)
    expect(await send({ 'Content-Length': huge.length }, huge)).toMatch(/^400 close/u)
    expect(await send({ 'Transfer-Encoding': 'chunked' }, huge)).toMatch(/^400 close/u)
    agent.destroy()
  })
})

test('toWebhookRequest is for verify, and leaves the connection for the answer', async () => {
  const server = createServer(async (request, response) => {
    const verdict = await verify(toWebhookRequest(request), { ...options, maxBodyBytes: 1000 })
    response.writeHead(verdict.ok ? 200 : verdict.status, { Connection: 'close' })
    response.end(verdict.reason ?? verdict.event.event_id)
  })
  await listening(server, async (url) => {
    const answer = async (response: Promise<Response>) => (await response).text()
    expect(await answer(post(url))).toBe('evt_1')
    expect(await answer(post(url, delivery('x'.repeat(100_000))))).toBe('body_too_large')
  })
})

test('toWebhookRequest takes the header record where no lines are kept', () => {
  const request = { headers: { a: 'b' }, rawHeaders: [], body: 'text' }
  expect(toWebhookRequest(request as never)).toEqual({ headers: { a: 'b' }, body: 'text' })
})

test('toWebhookRequest ends with a stream that fails without being destroyed', async () => {
  const stream = new Readable({ autoDestroy: false, read() {} })
  const { headers } = GOOD
  const verdict = verify(
    toWebhookRequest(Object.assign(stream, { headers, rawHeaders: [] })),
    options,
  )
  setImmediate(() => stream.emit('error', new Error('reset')))
  expect(await verdict).toMatchObject({ reason: 'body_incomplete' })
})
