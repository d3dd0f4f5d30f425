import { MAX_BODY_BYTES, NOW, OLD_SECRET, PRIVATE, SECRET, THROWN } from './receiver.js'

// What every adapter does, whatever its runtime or framework: named checks of a running receiver
// over HTTP. They know no test runner and need `fetch` and WebCrypto alone, so that they run in a
// page as well; those marked `raw` need a socket.

export interface Target {
  /** Where the receiver of receiver.js listens, such as http://127.0.0.1:8080 */
  readonly url: string
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  readonly raw?: RawExchange | undefined
}

/**
 * Writes the chunks one after the other over a connection of their own, each once the last is on
 * its way, until an answer (other than 100 Continue) has begun or the other side has closed. Gives
 * all the text that came back. With `abort` the connection is cut behind the last chunk.
 */
export type RawExchange = (
  url: string,
  chunks: Iterable<string | Uint8Array>,
  abort?: 'abort',
) => Promise<string>

export interface Check {
  readonly name: string
  /** Needs `target.raw`. */
  readonly raw?: true
  readonly run: (target: Target) => Promise<void>
}

export type Entry = { readonly [key: string]: unknown }

const event = (id: string, more: object = {}) => ({
  event_id: id,
  event_type: 'invoice.paid',
  version: 1,
  occurred_at: NOW,
  data: { invoice_id: 'inv_1' },
  ...more,
})
/** A delivery that the receiver takes. */
export const EVENT = JSON.stringify(event('evt_1'))

/** Refused deliveries, by their reason. */
const REFUSED: readonly [
  reason: string,
  status: number,
  stage: string,
  make: () => Promise<Delivery>,
][] = [
  ['header_missing', 400, 'header', async () => ({ headers: {}, body: EVENT })],
  ['timestamp_missing', 400, 'header', async () => delivery(EVENT, { header: 'v1=00' })],
  ['header_too_long', 400, 'header', async () => delivery(EVENT, { header: 'x'.repeat(4097) })],
  ['timestamp_too_old', 401, 'freshness', () => delivery(EVENT, { t: NOW - 301 })],
  ['body_too_large', 413, 'size', () => delivery('x'.repeat(MAX_BODY_BYTES + 1))],
  ['signature_mismatch', 401, 'signature', () => delivery(EVENT, { secret: 'another' })],
  [
    'signature_mismatch',
    401,
    'signature',
    async () => ({ ...(await delivery(EVENT)), body: EVENT.replace('evt_1', 'evt_2') }),
  ],
  ['body_not_utf8', 422, 'body', () => delivery(new Uint8Array([0x22, 0xff, 0x22]))],
  ['body_not_json', 422, 'body', () => delivery('{')],
  ['body_not_json', 422, 'body', () => delivery('')],
  ['envelope_not_object', 422, 'envelope', () => delivery('[]')],
]

export const CHECKS: readonly Check[] = [
  {
    name: 'a good delivery gets 204 without a body, once the handler has returned',
    async run(target) {
      const response = await post(target, await delivery(EVENT))
      equal([response.status, await response.text()], [204, ''])
      equal(await seen(target), [accepted('evt_1', { bytes: EVENT.length })])
    },
  },
  {
    name: 'every byte of the body arrives as it was sent',
    async run(target) {
      const data = { text: 'Grüße, 決済 🧾', number: 0.1, blank: '\u2028\u0000' }
      const body = `\n  ${JSON.stringify(event('evt_bytes', { data }), null, 3)}\r\n`
      equal((await post(target, await delivery(body))).status, 204)
      const bytes = new TextEncoder().encode(body).length
      equal(await seen(target), [accepted('evt_bytes', { data, bytes })])
    },
  },
  {
    name: 'an empty path, a query and a content type of any kind do not matter',
    async run(target) {
      for (const [path, type] of [
        ['', 'application/json'],
        ['/?a=b', 'text/plain; charset=utf-16'],
        ['/hooks/%7Btenant%7D', 'application/x-www-form-urlencoded'],
        ['/hooks', 'multipart/form-data'],
        ['/hooks', 'application/vnd.acme+json; charset=utf-8'],
        ['/hooks', 'application/cloudevents+json'],
        ['/hooks', 'Application/JSON;charset="UTF-8"'],
        ['/hooks', 'no media type at all'],
      ] as const) {
        equal((await post(target, withType(await delivery(EVENT), type), path)).status, 204)
      }
      // For bytes, nobody adds one.
      const untyped = await delivery(new TextEncoder().encode(EVENT))
      equal((await post(target, untyped, '/hooks')).status, 204)
    },
  },
  {
    name: 'a mark of byte order is signed, and is no JSON',
    async run(target) {
      equal((await post(target, await delivery(`\ufeff${EVENT}`))).status, 422)
      const [entry] = await seen(target)
      equal(entry?.rejected, 'body_not_json')
    },
  },
  {
    name: 'a compressed body is the bytes that came: they are signed, and are no JSON',
    raw: true,
    async run(target) {
      const packed = await gzip(EVENT)
      const lines = [
        `X-Webhook-Signature: ${await header(packed)}`,
        `Content-Length: ${packed.length}`,
        'Content-Encoding: gzip',
        'Content-Type: application/json',
      ]
      equal(status(await raw(target, lines, [packed])), 422)
      const [entry] = await seen(target)
      equal(entry?.rejected, 'body_not_utf8')
    },
  },
  {
    name: 'the second of two signatures and the second of two secrets count',
    async run(target) {
      const header = `t=${NOW},v1=${'0'.repeat(64)},v1=${await mac(EVENT, OLD_SECRET)}`
      equal((await post(target, await delivery(EVENT, { header }))).status, 204)
      equal(await seen(target), [accepted('evt_1', { bytes: EVENT.length, secret: 'old' })])
    },
  },
  ...REFUSED.map(
    ([reason, status, stage, make]): Check => ({
      name: `${reason} is answered with ${status} and its stage, once onRejected has returned`,
      async run(target) {
        const response = await post(target, await make())
        equal([response.status, await response.text()], [status, JSON.stringify({ error: stage })])
        equal(response.headers.get('content-type'), 'application/json')
        equal(await seen(target), [{ rejected: reason, stage, status, done: true }])
      },
    }),
  ),
  {
    name: 'a body of exactly the largest size is read',
    async run(target) {
      const room =
        MAX_BODY_BYTES - JSON.stringify(event('evt_large', { data: { fill: '' } })).length
      const body = JSON.stringify(event('evt_large', { data: { fill: 'x'.repeat(room) } }))
      equal((await post(target, await delivery(body))).status, 204)
      equal(
        (await seen(target)).map(({ bytes }) => bytes),
        [MAX_BODY_BYTES],
      )
    },
  },
  ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'].map(
    (method): Check => ({
      name: `${method} is answered with 405 and Allow`,
      async run(target) {
        const { headers, body } = await delivery(EVENT)
        const bodiless = method === 'GET' || method === 'HEAD'
        const response = await target.fetch(target.url, {
          method,
          headers,
          ...(bodiless ? {} : { body }),
        })
        equal([response.status, response.headers.get('allow')], [405, 'POST'])
        equal(await response.text(), method === 'HEAD' ? '' : '{"error":"method"}')
        equal(await seen(target), [])
      },
    }),
  ),
  ...THROWN.map(
    ([what], i): Check => ({
      name: `a handler that throws ${what} is answered with 5xx, without a word of it`,
      async run(target) {
        const body = JSON.stringify(event('evt_throws', { event_type: `contract.throws.${i}` }))
        await checkFailed(await post(target, await delivery(body)))
        // And the next one finds a receiver that works.
        equal((await post(target, await delivery(EVENT))).status, 204)
        equal(
          (await seen(target)).map((entry) => entry.accepted),
          ['evt_throws', 'evt_1'],
        )
      },
    }),
  ),
  {
    name: 'an onRejected that throws an Error of status 200 is answered with 5xx, without a word of it',
    async run(target) {
      await checkFailed(await post(target, await delivery(EVENT, { t: NOW + 301 })))
      equal(
        (await seen(target)).map((entry) => entry.rejected),
        ['timestamp_too_new'],
      )
    },
  },
  {
    name: 'a slow handler is waited for',
    async run(target) {
      const body = JSON.stringify(event('evt_slow', { event_type: 'contract.slow' }))
      equal((await post(target, await delivery(body))).status, 204)
      equal(
        (await seen(target)).map(({ accepted, done }) => [accepted, done]),
        [['evt_slow', true]],
      )
    },
  },
  {
    name: 'a client that goes away while the handler runs harms nobody',
    async run(target) {
      const body = JSON.stringify(event('evt_slow', { event_type: 'contract.slow' }))
      const leaving = new AbortController()
      const init = { method: 'POST', ...(await delivery(body)), signal: leaving.signal }
      const left = target.fetch(target.url, init).then(
        () => 'answered',
        () => 'gone',
      )
      while ((await seen(target)).length === 0);
      leaving.abort()
      await left
      equal((await post(target, await delivery(EVENT))).status, 204)
      equal(
        (await seen(target)).map((entry) => entry.accepted),
        ['evt_slow', 'evt_1'],
      )
    },
  },
  {
    name: 'the same delivery sent twice is handled twice',
    async run(target) {
      for (let i = 0; i < 2; i++) equal((await post(target, await delivery(EVENT))).status, 204)
      equal(
        (await seen(target)).map((entry) => entry.accepted),
        ['evt_1', 'evt_1'],
      )
    },
  },
  {
    name: 'deliveries at the same time are each handled once, with their own answer',
    async run(target) {
      const ids = Array.from({ length: 24 }, (_, i) => `evt_${i}`)
      const statuses = await Promise.all(
        ids.map(async (id, i) => {
          const secret = i % 3 === 0 ? 'another' : SECRET
          return (await post(target, await delivery(JSON.stringify(event(id)), { secret }))).status
        }),
      )
      equal(
        statuses,
        ids.map((_, i) => (i % 3 === 0 ? 401 : 204)),
      )
      const handled = (await seen(target)).flatMap((entry) => entry.accepted ?? [])
      equal(handled.sort(), ids.filter((_, i) => i % 3 !== 0).sort())
    },
  },
  {
    name: 'header names in any case are read',
    raw: true,
    async run(target) {
      for (const name of ['X-WEBHOOK-SIGNATURE', 'x-webhook-signature']) {
        const lines = [`${name}: ${await header(EVENT)}`, `Content-Length: ${EVENT.length}`]
        equal(status(await raw(target, [...lines], [EVENT])), 204)
      }
    },
  },
  {
    name: 'two signature lines are joined, so that two whole ones are refused',
    raw: true,
    async run(target) {
      const line = `X-Webhook-Signature: ${await header(EVENT)}`
      const length = `Content-Length: ${EVENT.length}`
      equal(status(await raw(target, [line, line, length], [EVENT])), 400)
      equal(
        (await seen(target)).map((entry) => entry.rejected),
        ['timestamp_duplicate'],
      )
    },
  },
  {
    name: 'two signature lines that make one header are accepted',
    raw: true,
    async run(target) {
      const lines = [
        `X-Webhook-Signature: t=${NOW}`,
        `x-webhook-signature: v1=${await mac(EVENT)}`,
        `Content-Length: ${EVENT.length}`,
      ]
      equal(status(await raw(target, lines, [EVENT])), 204)
    },
  },
  {
    name: 'a chunked body is read, even if a chunk ends inside a character',
    raw: true,
    async run(target) {
      const body = new TextEncoder().encode(
        JSON.stringify(event('evt_chunks', { data: { text: '決済🧾' } })),
      )
      const lines = [`X-Webhook-Signature: ${await header(body)}`, 'Transfer-Encoding: chunked']
      const chunks = Array.from(body, (_, i) => chunk(body.subarray(i, i + 1)))
      equal(status(await raw(target, lines, [...chunks, '0\r\n\r\n'])), 204)
      const [entry] = await seen(target)
      equal(entry?.data, { text: '決済🧾' })
    },
  },
  {
    name: 'a wrong header is refused before the body has come',
    raw: true,
    async run(target) {
      equal(status(await raw(target, ['Content-Length: 100'], [])), 400)
      equal(
        (await seen(target)).map((entry) => entry.rejected),
        ['header_missing'],
      )
    },
  },
  {
    name: 'a stale signature is refused before the body has come',
    raw: true,
    async run(target) {
      const stale = await header(EVENT, SECRET, NOW - 301)
      const lines = [`X-Webhook-Signature: ${stale}`, 'Transfer-Encoding: chunked']
      equal(status(await raw(target, lines, [])), 401)
    },
  },
  {
    name: 'a client that waits for 100 Continue gets it, then its answer',
    raw: true,
    async run(target) {
      const lines = [
        `X-Webhook-Signature: ${await header(EVENT)}`,
        `Content-Length: ${EVENT.length}`,
        'Expect: 100-continue',
      ]
      equal(status(await raw(target, lines, [EVENT])), 204)
    },
  },
  {
    name: 'an endless body is cut at the largest size',
    raw: true,
    async run(target) {
      const fill = chunk(new Uint8Array(16 * 1024))
      const most = 4096
      let sent = 0
      const endless = function* () {
        for (; sent < most; sent++) yield fill
      }
      const lines = [`X-Webhook-Signature: ${await header(EVENT)}`, 'Transfer-Encoding: chunked']
      const answer = await raw(target, lines, endless())
      // A server that closes while more is on its way may take its own answer back with it.
      equal(answer === '' ? 413 : status(answer), 413)
      equal(sent < most, true)
      equal(
        (await seen(target)).map((entry) => entry.rejected),
        ['body_too_large'],
      )
    },
  },
  {
    name: 'a client that goes away in the middle of its body is not believed, and harms nobody',
    raw: true,
    async run(target) {
      const lines = [`X-Webhook-Signature: ${await header(EVENT)}`, 'Content-Length: 1000']
      await raw(target, lines, [EVENT], 'abort')
      equal((await post(target, await delivery(EVENT.replace('evt_1', 'evt_next')))).status, 204)
      // Whether a runtime tells of the one that broke off is its own affair.
      equal(
        (await seen(target)).flatMap((entry) => entry.accepted ?? []),
        ['evt_next'],
      )
      const told = (await seen(target)).flatMap((entry) => entry.rejected ?? [])
      equal(
        told.filter((reason) => reason !== 'body_incomplete'),
        [],
      )
    },
  },
  {
    name: 'a body that breaks the rules of HTTP is not believed',
    raw: true,
    async run(target) {
      const lines = [`X-Webhook-Signature: ${await header(EVENT)}`, 'Transfer-Encoding: chunked']
      await raw(target, lines, [chunk(new TextEncoder().encode(EVENT)), 'no size\r\n\r\n'])
      equal((await post(target, await delivery(EVENT.replace('evt_1', 'evt_next')))).status, 204)
      equal(
        (await seen(target)).flatMap((entry) => entry.accepted ?? []),
        ['evt_next'],
      )
    },
  },
  {
    name: 'a header larger than any server takes is refused',
    raw: true,
    async run(target) {
      const lines = [`X-Webhook-Signature: ${'x'.repeat(1024 * 1024)}`, 'Content-Length: 0']
      // Some servers close the connection without a word.
      const answer = await raw(target, lines, [])
      equal(answer === '' || (status(answer) >= 400 && status(answer) < 500), true)
      equal((await post(target, await delivery(EVENT))).status, 204)
    },
  },
]

/** A server may let the next request of a connection wait behind a body that nobody reads. */
export const UNREAD: Check = {
  name: 'a large body that is refused unread does not hold up what the sender sends next',
  async run(target) {
    for (const size of [900_000, 1_100_000]) {
      const refused = await post(target, { headers: {}, body: 'x'.repeat(size) })
      equal([refused.status, await refused.text()], [400, '{"error":"header"}'])
      equal((await post(target, await delivery(EVENT))).status, 204)
    }
  },
}

/**
 * Checks of receivers at paths where something of the framework stands between the socket and the
 * receiver.
 */
export const PARSED = {
  /** Room for whatever the framework lets through by itself, and the default for the body's size. */
  large: {
    name: 'a body of 1 MiB is read, one byte more is refused',
    async run(target) {
      const largest = 1024 * 1024
      const fill = (room: number) =>
        JSON.stringify(event('evt_1', { data: { fill: 'x'.repeat(room) } }))
      const empty = fill(0).length
      for (const size of [457_522, largest]) {
        equal((await post(target, await delivery(fill(size - empty)), '/large')).status, 204)
      }
      const over = await delivery(fill(largest - empty + 1))
      // A server that closes while more is on its way may take its own answer back with it.
      const status = await post(target, over, '/large').then(
        (response) => response.status,
        () => 413,
      )
      equal(status, 413)
      equal(
        (await seen(target)).map(({ bytes, rejected }) => bytes ?? rejected),
        [457_522, largest, 'body_too_large'],
      )
    },
  },
  /** A parser ran that keeps the bytes, or makes nothing else of them. */
  kept: (path: string): Check => ({
    name: `bytes that a parser has kept are verified: ${path}`,
    async run(target) {
      const body = `${EVENT}  \r\n`
      equal((await post(target, withType(await delivery(body)), path)).status, 204)
      equal(
        (await seen(target)).map(({ accepted, bytes }) => [accepted, bytes]),
        [['evt_1', body.length]],
      )
      const forged = withType(await delivery(body, { secret: 'another' }))
      equal((await post(target, forged, path)).status, 401)
    },
  }),
  /** The framework unpacks a body before it parses and keeps it. */
  unpacked: (path: string): Check => ({
    name: 'a compressed body that a parser unpacked is not what was signed',
    async run(target) {
      const { headers, body } = withType(await delivery(await gzip(EVENT)))
      const packed = { headers: { ...headers, 'Content-Encoding': 'gzip' }, body }
      equal((await post(target, packed, path)).status, 401)
      equal(
        (await seen(target)).map((entry) => entry.rejected),
        ['signature_mismatch'],
      )
    },
  }),
  /** The receiver's handler begins an answer of its own, and throws. */
  half: {
    name: 'an answer that a handler began before it threw breaks off',
    async run(target) {
      const answer = post(target, await delivery(EVENT), '/half').then((response) =>
        response.text(),
      )
      const end = await answer.then(
        () => 'whole',
        () => 'broken off',
      )
      equal(end, 'broken off')
      equal((await post(target, await delivery(EVENT))).status, 204)
    },
  },
  /** The framework's JSON parser ran, and the bytes are gone. */
  parsed: (code: string, advice: RegExp): Check => ({
    name: `a parsed body is ${code}, with advice for the owner alone`,
    run: (target) => checkLost(target, '/parsed', code, advice),
  }),
  /** Somebody has read the body, and kept nothing. */
  read: (code: string, advice: RegExp): Check => ({
    name: `a body that was read before is ${code}, with advice for the owner alone`,
    run: (target) => checkLost(target, '/read', code, advice),
  }),
} satisfies Record<string, Check | ((...args: never[]) => Check)>

/** What the integrator's functions throw is no answer; a platform in front may have one of its own. */
async function checkFailed(response: Response): Promise<void> {
  const { status, statusText, headers } = response
  if (status < 500) throw new Error(`expected 5xx, got ${status}`)
  const told = [statusText, ...[...headers].flat(), await response.text()]
  equal(
    told.filter((part) => part.includes(PRIVATE)),
    [],
  )
}

/** A body whose bytes are gone: 500, and only the owner is told what to change. */
export async function checkLost(
  target: Target,
  path: string,
  code: string,
  advice: RegExp,
): Promise<void> {
  const response = await post(target, withType(await delivery(EVENT)), path)
  equal(response.status, 500)
  equal(advice.test(await response.text()), false)
  const [entry] = await seen(target)
  equal(entry?.failed, code)
  if (!advice.test(String(entry?.message))) throw new Error(`no such advice: ${entry?.message}`)
}

export function withType({ headers, body }: Delivery, type = 'application/json'): Delivery {
  return { headers: { ...headers, 'Content-Type': type }, body }
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/**
 * Runs one check on a receiver that nothing else is sent to. Throws an Error that says what
 * differs.
 */
export async function runCheck(check: Check, target: Target): Promise<void> {
  await target.fetch(`${target.url}/-/reset`)
  await check.run(target)
}

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
}

export interface Wrong {
  readonly secret?: string
  readonly t?: number
  readonly header?: string
}

/** A delivery with a right signature, or wrong in the named way. */
export async function delivery(body: Delivery['body'], wrong: Wrong = {}): Promise<Delivery> {
  const value = wrong.header ?? (await header(body, wrong.secret, wrong.t))
  return { headers: { 'X-Webhook-Signature': value }, body }
}

async function header(body: Delivery['body'], secret?: string, t = NOW): Promise<string> {
  return `t=${t},v1=${await mac(body, secret, t)}`
}

/** The MAC by WebCrypto, as hex. */
async function mac(body: Delivery['body'], secret = SECRET, t = NOW): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'sign',
  ])
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const message = new Uint8Array([...encoder.encode(`${t}.`), ...bytes])
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, message))
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function post(target: Target, { headers, body }: Delivery, path = ''): Promise<Response> {
  return target.fetch(`${target.url}${path}`, { method: 'POST', headers, body })
}

async function raw(
  { url, raw }: Target,
  lines: readonly string[],
  body: Iterable<string | Uint8Array>,
  abort?: 'abort',
): Promise<string> {
  if (raw === undefined) throw new Error('this check needs a raw socket')
  const head = ['POST / HTTP/1.1', `Host: ${new URL(url).host}`, 'Connection: close', ...lines]
  const chunks = function* () {
    yield `${head.join('\r\n')}\r\n\r\n`
    yield* body
  }
  return raw(url, chunks(), abort)
}

function chunk(bytes: Uint8Array): Uint8Array {
  const size = new TextEncoder().encode(`${bytes.length.toString(16)}\r\n`)
  return new Uint8Array([...size, ...bytes, 0x0d, 0x0a])
}

/** The status of a raw answer, behind any 100 Continue; 0 when there is none. */
function status(answer: string): number {
  const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gmu)].map(([, code]) => Number(code))
  return statuses.find((code) => code >= 200) ?? 0
}

export async function seen(target: Target): Promise<Entry[]> {
  return (await target.fetch(`${target.url}/-/seen`)).json()
}

function accepted(id: string, more: object): Entry {
  const { event_type: type, data } = event(id)
  return { accepted: id, type, data, secret: 'new', done: true, ...more }
}

export function equal(actual: unknown, expected: unknown): void {
  const [a, b] = [actual, expected].map(inOrder)
  if (a !== b) throw new Error(`expected ${b}, got ${a}`)
}

/** As JSON, with the keys of each object sorted. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    inner?.constructor === Object ? Object.fromEntries(Object.entries(inner).sort()) : inner,
  )
}
