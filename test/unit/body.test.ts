import { Readable } from 'node:stream'
import { createContext, runInContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { verify } from '../../src/verify.ts'
import { verifySync } from '../../src/verify-sync.ts'
import { BODY, delivery, NOW, options, signed } from '../fixtures.ts'

const bytes = new TextEncoder().encode(BODY)
const headers = { 'x-webhook-signature': signed(BODY) }

/** The bytes in the middle of something larger. */
function padded<T extends ArrayBufferLike>(buffer: T): T {
  new Uint8Array(buffer).fill(0x78)
  new Uint8Array(buffer).set(bytes, 8)
  return buffer
}
const size = bytes.length + 24
const pad = () => padded(new ArrayBuffer(size))
const foreign = createContext({ bytes: [...bytes] })
const elsewhere = (code: string) => runInContext(code, foreign)

const IN_MEMORY: Record<string, () => unknown> = {
  text: () => BODY,
  'a Uint8Array': () => bytes.slice(),
  'a Buffer': () => Buffer.from(BODY),
  'a Buffer out of the pool': () =>
    Buffer.concat([Buffer.from('x'), Buffer.from(BODY)]).subarray(1),
  'a Uint8Array with an offset': () => new Uint8Array(pad(), 8, bytes.length),
  'a DataView with an offset': () => new DataView(pad(), 8, bytes.length),
  'an Int8Array with an offset': () => new Int8Array(pad(), 8, bytes.length),
  'an ArrayBuffer': () => bytes.slice().buffer,
  'a SharedArrayBuffer': () => {
    const shared = new SharedArrayBuffer(bytes.length)
    new Uint8Array(shared).set(bytes)
    return shared
  },
  'a view of a SharedArrayBuffer': () =>
    new Uint8Array(padded(new SharedArrayBuffer(size)), 8, bytes.length),
  'a resizable ArrayBuffer': () => {
    // @ts-expect-error: ES2024
    const buffer = new ArrayBuffer(bytes.length, { maxByteLength: 4096 })
    new Uint8Array(buffer).set(bytes)
    return buffer
  },
  'a view of a resizable ArrayBuffer': () =>
    // @ts-expect-error: ES2024
    new Uint8Array(padded(new ArrayBuffer(size, { maxByteLength: 4096 })), 8, bytes.length),
  'a Uint8Array of another realm': () => elsewhere('Uint8Array.from(bytes)'),
  'a DataView of another realm': () => elsewhere('new DataView(Uint8Array.from(bytes).buffer)'),
  'an ArrayBuffer of another realm': () => elsewhere('Uint8Array.from(bytes).buffer'),
}

const halves = () => [bytes.subarray(0, 50), bytes.subarray(50)]
function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}
const STREAMS: Record<string, () => unknown> = {
  'a web stream': () => streamOf(halves()),
  'a web stream of bytes': () => new Blob([BODY]).stream(),
  'a stream that is no async iterable': () => {
    const reader = streamOf(halves()).getReader()
    return { getReader: () => reader }
  },
  'a Node stream': () => Readable.from(halves(), { objectMode: false }),
  'an async generator': async function* () {
    yield* halves()
  },
  'a generator that fills one chunk again and again': async function* () {
    const chunk = new Uint8Array(1)
    for (const byte of bytes) {
      chunk[0] = byte
      yield chunk
    }
  },
  'a generator with empty chunks': async function* () {
    yield new Uint8Array(0)
    yield* halves()
    yield new Uint8Array(0)
  },
}

describe('every form of the body gives the same verdict', () => {
  test.each(Object.entries({ ...IN_MEMORY, ...STREAMS }))('%s', async (_, make) => {
    const verdict = await verify({ headers, body: make() as string }, options)
    expect(verdict).toMatchObject({ ok: true, delivery: { id: 'evt_1' } })
    expect(Buffer.from(verdict.ok ? verdict.body : []).toString()).toBe(BODY)
    const forged = { 'x-webhook-signature': signed(`${BODY} `) }
    expect(await verify({ headers: forged, body: make() as string }, options)).toMatchObject({
      reason: 'signature_mismatch',
    })
  })

  test.each(Object.entries(IN_MEMORY))('%s, without a promise', (_, make) => {
    const verdict = verifySync({ headers, body: make() as string }, options)
    expect(verdict).toMatchObject({ ok: true, delivery: { id: 'evt_1' } })
    expect(Buffer.from(verdict.ok ? verdict.body : []).toString()).toBe(BODY)
  })

  test('a web Request', async () => {
    const request = new Request('http://localhost', { method: 'POST', headers, body: BODY })
    expect(await verify(request, options)).toMatchObject({ ok: true })
    expect(request.bodyUsed).toBe(true)
  })

  test('a Request on a runtime without Request.body', async () => {
    const request = new Request('http://localhost', { method: 'POST', headers, body: BODY })
    const bodyless = {
      headers: request.headers,
      bodyUsed: false,
      arrayBuffer: () => request.arrayBuffer(),
    }
    expect(await verify(bodyless, options)).toMatchObject({ ok: true })
  })

  test('no body is an empty body', async () => {
    const empty = { headers: { 'x-webhook-signature': signed('') }, body: null }
    expect(await verify(empty, options)).toMatchObject({ reason: 'body_not_json' })
    expect(verifySync(empty, options)).toMatchObject({ reason: 'body_not_json' })
    const get = new Request('http://localhost', { headers: empty.headers })
    expect(await verify(get, options)).toMatchObject({ reason: 'body_not_json' })
  })

  test('text is its UTF-8 bytes', async () => {
    const body = BODY.replace('inv_1', 'é😀')
    expect(await verify(delivery(body), options)).toMatchObject({ ok: true })
    expect(verifySync(delivery(body), options)).toMatchObject({ ok: true })
  })
})

describe('bytes that change while the promise is pending change nothing', () => {
  test.each(Object.entries(IN_MEMORY).filter(([name]) => name !== 'text'))(
    '%s',
    async (_, make) => {
      const body = make() as ArrayBuffer | ArrayBufferView
      const pending = verify({ headers, body }, options)
      const view = ArrayBuffer.isView(body)
        ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
        : new Uint8Array(body)
      view.fill(0)
      const verdict = await pending
      expect(verdict).toMatchObject({ ok: true, event: { event_id: 'evt_1' } })
      expect(Buffer.from(verdict.ok ? verdict.body : []).toString()).toBe(BODY)
    },
  )

  test('nor do options and headers', async () => {
    const mutable = { ...options, secret: [options.secret] }
    const request = { headers: { ...headers }, body: streamOf(halves()) }
    const pending = verify(request, mutable)
    mutable.secret[0] = 'test_only_other'
    request.headers['x-webhook-signature'] = 'gone'
    expect(await pending).toMatchObject({ ok: true })
  })
})

describe('the size limit', () => {
  const limited = { ...options, maxBodyBytes: bytes.length }
  const long = { headers: { 'x-webhook-signature': signed(`${BODY} `) }, body: `${BODY} ` }

  test.each(Object.entries({ ...IN_MEMORY, ...STREAMS }))(
    'lets exactly that many bytes in: %s',
    async (_, make) => {
      expect(await verify({ headers, body: make() as string }, limited)).toMatchObject({ ok: true })
    },
  )

  test.each(Object.entries({ ...IN_MEMORY, ...STREAMS }))(
    'lets one more not in: %s',
    async (_, make) => {
      const tight = { ...options, maxBodyBytes: bytes.length - 1 }
      expect(await verify({ headers, body: make() as string }, tight)).toMatchObject({
        reason: 'body_too_large',
        status: 413,
      })
    },
  )

  test('counts bytes, not characters', () => {
    const body = BODY.replace('inv_1', 'é😀')
    const size = Buffer.byteLength(body)
    expect(verifySync(delivery(body), { ...options, maxBodyBytes: size })).toMatchObject({
      ok: true,
    })
    expect(verifySync(delivery(body), { ...options, maxBodyBytes: size - 1 })).toMatchObject({
      reason: 'body_too_large',
    })
    expect(verifySync(long, limited)).toMatchObject({ reason: 'body_too_large' })
  })

  test('refuses a stream that announces more, without reading it', async () => {
    let reads = 0
    const body = {
      getReader() {
        reads++
        throw new Error('touched')
      },
    }
    const announced = { ...headers, 'content-length': String(2 ** 20 + 1) }
    expect(await verify({ headers: announced, body }, options)).toMatchObject({
      reason: 'body_too_large',
    })
    expect(reads).toBe(0)
    const odd = { ...headers, 'content-length': 'many' }
    expect(await verify({ headers: odd, body: streamOf(halves()) }, options)).toMatchObject({
      ok: true,
    })
  })

  test('ends an endless stream, without waiting for its consent', async () => {
    const cancelled: unknown[] = []
    const endless = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(1000))
      },
      cancel(reason) {
        cancelled.push(reason)
        return new Promise(() => {})
      },
    })
    expect(await verify({ headers, body: endless }, options)).toMatchObject({
      reason: 'body_too_large',
    })
    expect(cancelled).toHaveLength(1)
  })

  test('closes an endless generator', async () => {
    let closed = false
    const endless = async function* () {
      try {
        for (;;) yield new Uint8Array(1000)
      } finally {
        closed = true
      }
    }
    expect(await verify({ headers, body: endless() }, options)).toMatchObject({
      reason: 'body_too_large',
    })
    expect(closed).toBe(true)
  })

  test('applies to a Request without Request.body', async () => {
    const request = {
      headers: new Headers(headers),
      bodyUsed: false,
      arrayBuffer: async () => bytes.slice().buffer,
    }
    const tight = { ...options, maxBodyBytes: 10 }
    expect(await verify(request, tight)).toMatchObject({ reason: 'body_too_large' })
  })
})

describe('a body that fails is body_incomplete', () => {
  const failing: Record<string, () => unknown> = {
    'a web stream': () =>
      new ReadableStream({
        pull(controller) {
          controller.enqueue(bytes.subarray(0, 10))
          controller.error(new Error('connection reset'))
        },
      }),
    'a Node stream': () => {
      const stream = new Readable({ read() {} })
      stream.push(bytes.subarray(0, 10))
      setImmediate(() => stream.destroy(new Error('aborted')))
      return stream
    },
    'a Node stream that is cut off': () => {
      const stream = new Readable({ read() {} })
      stream.push(bytes.subarray(0, 10))
      setImmediate(() => stream.destroy())
      return stream
    },
    'a generator': async function* () {
      yield bytes.subarray(0, 10)
      throw undefined
    },
  }
  test.each(Object.entries(failing))('%s', async (_, make) => {
    const body = make() as string
    expect(await verify({ headers, body }, options)).toMatchObject({
      reason: 'body_incomplete',
      status: 400,
    })
  })

  test('a Request without Request.body', async () => {
    const arrayBuffer = () => Promise.reject(new TypeError('network error'))
    const request = { headers: new Headers(headers), bodyUsed: false, arrayBuffer }
    expect(await verify(request, options)).toMatchObject({ reason: 'body_incomplete' })
  })
})

describe('no byte is read before header and freshness have passed', () => {
  test.each([
    ['a bad header', { 'x-webhook-signature': 'nonsense' }],
    ['a stale delivery', { 'x-webhook-signature': signed(BODY, undefined, NOW - 301) }],
  ])('%s', async (_, badHeaders) => {
    let reads = 0
    const body = {
      getReader() {
        reads++
        throw new Error('touched')
      },
    }
    expect(await verify({ headers: badHeaders, body }, options)).toMatchObject({ ok: false })
    expect(reads).toBe(0)
  })
})

describe('a body that is not raw throws body_not_raw, before anything else is judged', () => {
  const detached = () => {
    const buffer = bytes.slice().buffer
    structuredClone(buffer, { transfer: [buffer] })
    return buffer
  }
  const detachedView = () => {
    const view = bytes.slice()
    structuredClone(view.buffer, { transfer: [view.buffer] })
    return view
  }
  test.each<[string, unknown]>([
    ['a parsed object', JSON.parse(BODY)],
    ['a parsed object with a stranger’s keys', { getReader: 'x', locked: 'x' }],
    ['an array', [1, 2]],
    ['a number', 5],
    ['a boolean', true],
    ['a promise', Promise.resolve(BODY)],
    ['a Blob', new Blob([BODY])],
    ['a function', () => BODY],
    ['a FormData', new FormData()],
    ['a detached buffer', detached()],
    ['a view of a detached buffer', detachedView()],
  ])('%s', async (_, body) => {
    const request = { headers: {}, body: body as string }
    await expect(verify(request, options)).rejects.toMatchObject({ code: 'body_not_raw' })
    expect(() => verifySync(request, options)).toThrow(
      expect.objectContaining({ code: 'body_not_raw' }),
    )
  })

  test.each([
    ['text', 'text'],
    ['objects', { a: 1 }],
    ['null', null],
  ])('a stream that yields %s', async (_, chunk) => {
    const body = (async function* () {
      yield chunk
    })()
    await expect(verify({ headers, body: body as never }, options)).rejects.toMatchObject({
      code: 'body_not_raw',
    })
  })

  test('a stream or Request on the sync face', () => {
    for (const make of Object.values(STREAMS)) {
      expect(() => verifySync({ headers, body: make() as string }, options)).toThrow(
        expect.objectContaining({ code: 'body_not_raw' }),
      )
    }
  })

  test('a Request whose arrayBuffer gives something else', async () => {
    const request = {
      headers: new Headers(headers),
      bodyUsed: false,
      arrayBuffer: async () => 'text',
    }
    await expect(verify(request as never, options)).rejects.toMatchObject({ code: 'body_not_raw' })
  })
})

describe('what frameworks leave for a request without a body', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty object', {}],
  ])('%s: is an empty body when none was announced', async (_, body) => {
    for (const length of [{}, { 'content-length': '0' }]) {
      const scan = { headers: length, body: body as string }
      expect(await verify(scan, options)).toMatchObject({ reason: 'header_missing' })
      expect(verifySync(scan, options)).toMatchObject({ reason: 'header_missing' })
      const empty = {
        headers: { ...length, 'x-webhook-signature': signed('') },
        body: body as string,
      }
      expect(await verify(empty, options)).toMatchObject({ reason: 'body_not_json' })
      expect(verifySync(empty, options)).toMatchObject({ reason: 'body_not_json' })
    }
  })

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty object', {}],
  ])('%s: throws body_not_raw when there was one', async (_, body) => {
    for (const announced of [{ 'content-length': '2' }, { 'transfer-encoding': 'chunked' }]) {
      const request = { headers: announced, body: body as string }
      const error = expect.objectContaining({ code: 'body_not_raw' })
      await expect(verify(request, options)).rejects.toThrow(error)
      expect(() => verifySync(request, options)).toThrow(error)
    }
  })

  test('the advice names what was passed', async () => {
    const advice = async (body: unknown) =>
      verify({ headers: {}, body: body as string }, options).catch((error) => error.message)
    expect(await advice(Promise.resolve(BODY))).toMatch(/^body is Promise, .*await/u)
    expect(await advice(JSON.parse(BODY))).toMatch(
      /^body is Object, .*as they came, before any parser/u,
    )
  })
})

describe('a source that is given up is not waited for, whatever it does', () => {
  const endless = (close: () => unknown) => ({
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false as const, value: new Uint8Array(600_000) }),
      return: close as () => Promise<never>,
    }),
  })
  test.each<[string, () => unknown]>([
    ['never ends', () => new Promise(() => {})],
    ['rejects', () => Promise.reject(new Error('closing failed'))],
    [
      'throws',
      () => {
        throw new Error('closing failed')
      },
    ],
  ])('its closing %s', async (_, close) => {
    expect(await verify({ headers, body: endless(close) }, options)).toMatchObject({
      reason: 'body_too_large',
    })
  })

  test('a Node stream stays open, so that the answer can be sent', async () => {
    const body = Readable.from([bytes, bytes], { objectMode: false })
    expect(await verify({ headers, body }, { ...options, maxBodyBytes: 10 })).toMatchObject({
      reason: 'body_too_large',
    })
    expect(body.destroyed).toBe(false)
  })
})

describe('a body that was read throws body_already_read', () => {
  test('a Request, the second time', async () => {
    const request = new Request('http://localhost', { method: 'POST', headers, body: BODY })
    await request.text()
    await expect(verify(request, options)).rejects.toMatchObject({ code: 'body_already_read' })
  })

  test('a locked and a teed stream', async () => {
    const locked = streamOf(halves())
    locked.getReader()
    const teed = streamOf(halves())
    teed.tee()
    for (const body of [locked, teed]) {
      await expect(verify({ headers, body }, options)).rejects.toMatchObject({
        code: 'body_already_read',
      })
    }
  })

  test('a Node stream that a parser has read', async () => {
    const body = Readable.from(halves(), { objectMode: false })
    for await (const _ of body);
    await expect(verify({ headers, body }, options)).rejects.toMatchObject({
      code: 'body_already_read',
    })
  })

  test('a Request without Request.body', async () => {
    const request = {
      headers: new Headers(headers),
      bodyUsed: true,
      arrayBuffer: async () => new ArrayBuffer(0),
    }
    await expect(verify(request, options)).rejects.toMatchObject({ code: 'body_already_read' })
  })

  test('but raw bytes that were kept are fine, whatever became of the stream', async () => {
    expect(await verify({ headers, body: bytes, bodyUsed: true }, options)).toMatchObject({
      ok: true,
    })
  })
})
