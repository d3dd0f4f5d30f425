import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import {
  AT,
  eventBody,
  file,
  hookproof,
  json,
  OFFICIAL,
  OTHER_SECRET,
  rawRequest,
  sign,
} from './hookproof.ts'

const THEN = ['--timestamp', `${OFFICIAL.timestamp}`] as const

test("the provider's published vector is reproduced, as header lines", () => {
  const run = hookproof(['sign', ...THEN], { input: OFFICIAL.body })
  expect(run).toEqual({
    status: 0,
    stdout: `X-Webhook-Signature: t=1700000000,v1=${OFFICIAL.mac}\nX-Webhook-Timestamp: 1700000000\nX-Webhook-Id: evt_123\n`,
    stderr: '',
  })
  expect(hookproof(['sign', ...THEN, file('body', OFFICIAL.body)])).toEqual(run)
})

test('--json gives the headers as an object', () => {
  const { status, answer } = json(['sign', ...THEN], { input: OFFICIAL.body })
  expect(status).toBe(0)
  expect(answer).toEqual({
    'X-Webhook-Signature': `t=1700000000,v1=${OFFICIAL.mac}`,
    'X-Webhook-Timestamp': '1700000000',
    'X-Webhook-Id': 'evt_123',
  })
})

const BODIES: readonly [title: string, string | Uint8Array][] = [
  ['text with a last line break', `${OFFICIAL.body}\n`],
  ['text without an event', 'hello'],
  ['other scripts', '{"event_id":"evt_1","name":"żółć 🙂"}'],
  ['every byte', Uint8Array.from({ length: 256 }, (_, index) => index)],
  ['line breaks alone', '\r\n\r\n'],
  ['a byte order mark', '\ufeff{}'],
]

test.each(BODIES)('%s is signed byte for byte', (_, input) => {
  const { stdout } = hookproof(['sign', ...THEN], { input })
  expect(stdout).toContain(`v1=${sign(input, OFFICIAL.timestamp, OFFICIAL.secret)}\n`)
})

test('an empty body is signed, with a remark', () => {
  const run = hookproof(['sign', ...THEN])
  expect(run.status).toBe(0)
  expect(run.stdout).toContain(`v1=${sign('', OFFICIAL.timestamp, OFFICIAL.secret)}\n`)
  expect(run.stderr).toContain('empty')
})

test('several secrets give one signature each, in order', () => {
  const path = file('secret', `${OTHER_SECRET}\n`)
  const args = ['sign', ...THEN, '--secret-file', path, '--secret-env', 'HOOKPROOF_SECRET']
  const { answer } = json(args, { input: OFFICIAL.body })
  const first = sign(OFFICIAL.body, OFFICIAL.timestamp, OTHER_SECRET)
  expect(answer['X-Webhook-Signature']).toBe(`t=1700000000,v1=${first},v1=${OFFICIAL.mac}`)
})

test('more secrets than a receiver reads signatures are misuse', () => {
  const args = Array.from({ length: 17 }, () => ['--secret-env', 'HOOKPROOF_SECRET']).flat()
  expect(hookproof(['sign', ...THEN, ...args.slice(2)], { input: '{}' }).status).toBe(0)
  const { status, answer } = json(['sign', ...THEN, ...args], { input: '{}' })
  expect([status, answer.error.code]).toEqual([2, 'arguments_invalid'])
  expect(answer.error.message).toContain('signatures_too_many')
})

test('the default time is now', () => {
  const before = Math.floor(Date.now() / 1000)
  const { answer } = json(['sign'], { input: OFFICIAL.body })
  const after = Math.floor(Date.now() / 1000)
  const timestamp = Number(answer['X-Webhook-Timestamp'])
  expect(timestamp).toBeGreaterThanOrEqual(before)
  expect(timestamp).toBeLessThanOrEqual(after)
  expect(answer['X-Webhook-Signature']).toBe(
    `t=${timestamp},v1=${sign(OFFICIAL.body, timestamp, OFFICIAL.secret)}`,
  )
})

const IDS: readonly [title: string, body: string, args: string[], id: string | undefined][] = [
  ['the event_id of the body', OFFICIAL.body, [], 'evt_123'],
  ['the one that is given', OFFICIAL.body, ['--id', 'evt_999'], 'evt_999'],
  ['the one that is given, if it begins with a dash', OFFICIAL.body, ['--id=-x'], '-x'],
  ['none without an event_id', '{"id":"evt_1"}', [], undefined],
  ['none for an id that is no text', '{"event_id":5}', [], undefined],
  ['none for a blank id', '{"event_id":" "}', [], undefined],
  ['none for a list', '[{"event_id":"evt_1"}]', [], undefined],
  ['none for other text', 'event_id', [], undefined],
  ['none for JSON null', 'null', [], undefined],
]

test.each(IDS)('X-Webhook-Id is %s', (_, body, args, id) => {
  const { status, answer, stderr } = json(['sign', ...THEN, ...args], { input: body })
  expect(status).toBe(0)
  expect(answer['X-Webhook-Id']).toBe(id)
  expect(stderr).toBe('')
})

test.each(['evt\r\nX-Evil: 1', 'evt\u0000', 'évt', 'evt 1', 'x'.repeat(257)])(
  'an event_id that fits into no header is left out, with a remark: %o',
  (id) => {
    const run = hookproof(['sign', ...THEN], { input: eventBody({ event_id: id }) })
    expect(run.status).toBe(0)
    expect(run.stdout).toMatch(/^X-Webhook-Signature: \S+\nX-Webhook-Timestamp: 1700000000\n$/u)
    expect(run.stderr).toContain('X-Webhook-Id is left out')
  },
)

test('--request writes a whole request that verify accepts', () => {
  const args = ['sign', ...THEN, '--request', 'https://shop.example:8443/hooks/paymos?a=b%20c#part']
  const { status, stdout } = hookproof(args, { input: OFFICIAL.body })
  expect(status).toBe(0)
  expect(stdout).toBe(
    [
      'POST /hooks/paymos?a=b%20c HTTP/1.1',
      'Host: shop.example:8443',
      'Content-Type: application/json; charset=utf-8',
      'Content-Length: 119',
      'Connection: close',
      `X-Webhook-Signature: t=1700000000,v1=${OFFICIAL.mac}`,
      'X-Webhook-Timestamp: 1700000000',
      'X-Webhook-Id: evt_123',
      '',
      OFFICIAL.body,
    ].join('\r\n'),
  )
  const verified = hookproof(['verify', ...AT], { input: stdout })
  expect(verified).toMatchObject({ status: 0, stderr: '' })
})

test.each([
  ['http://127.0.0.1', 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
  ['http://[::1]:80/a', 'POST /a HTTP/1.1\r\nHost: [::1]\r\n'],
  [
    'HTTPS://Bücher.example/ä b?ü',
    'POST /%C3%A4%20b?%C3%BC HTTP/1.1\r\nHost: xn--bcher-kva.example\r\n',
  ],
  ['http://h/\r\nX-Evil: 1', 'POST /X-Evil:%201 HTTP/1.1\r\nHost: h\r\n'],
])('--request %o begins with the right lines', (url, begins) => {
  const { stdout } = hookproof(['sign', ...THEN, '--request', url], { input: '{}' })
  expect(stdout.slice(0, begins.length)).toBe(begins)
  expect(stdout.split('\r\n')).toHaveLength(9)
})

test('what was signed now is accepted now, for every kind of body and by header lines as well', () => {
  for (const text of ['', 'żółć 🙂', '\r\n', 'x'.repeat(100_000)]) {
    const body = eventBody({ data: { text } })
    const request = hookproof(['sign', '--request', 'http://h/'], { input: body }).stdout
    expect(hookproof(['verify'], { input: request }).status).toBe(0)
    const lines = hookproof(['sign'], { input: body }).stdout.trim().split('\n')
    expect(hookproof(['verify'], { input: rawRequest(lines, body) }).status).toBe(0)
    const headers = json(['sign'], { input: body }).answer
    expect(hookproof(['verify'], { input: JSON.stringify({ headers, body }) }).status).toBe(0)
  }
})

test('a server reads the request as it was signed', async () => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const mac = sign(body, OFFICIAL.timestamp, OFFICIAL.secret)
    response.end(JSON.stringify({ headers: request.headers, fits: body.toString(), mac }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/hooks`
    const request = hookproof(['sign', ...THEN, '--request', url], { input: OFFICIAL.body }).stdout
    const socket = connect(port, '127.0.0.1')
    socket.write(request)
    let answer = ''
    for await (const chunk of socket) answer += chunk
    const seen = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
    expect(seen.fits).toBe(OFFICIAL.body)
    expect(seen.headers['x-webhook-signature']).toBe(`t=1700000000,v1=${seen.mac}`)
    expect(seen.headers['x-webhook-id']).toBe('evt_123')
  } finally {
    server.close()
  }
})

test('an id that fits into no header is refused when it is given', () => {
  for (const id of ['evt\r\nX-Evil: 1', 'évt', 'evt 1', ' evt', '\u007f', 'x'.repeat(257)]) {
    const { status, answer } = json(['sign', '--id', id], { input: OFFICIAL.body })
    expect([status, answer.error.code]).toEqual([2, 'id_invalid'])
  }
})

const MISUSES: readonly [title: string, args: string[], code: string][] = [
  ['a negative time', ['--timestamp=-1'], 'timestamp_invalid'],
  ['milliseconds', ['--timestamp', '1700000000000'], 'timestamp_invalid'],
  ['a fraction', ['--timestamp', '1700000000.5'], 'timestamp_invalid'],
  ['a leading zero', ['--timestamp', '01700000000'], 'timestamp_invalid'],
  ['a time in words', ['--timestamp', 'now'], 'timestamp_invalid'],
  ['an empty time', ['--timestamp='], 'timestamp_invalid'],
  ['an exponent', ['--timestamp', '1e9'], 'timestamp_invalid'],
  ['other digits', ['--timestamp', '١٧٠٠'], 'timestamp_invalid'],
  ['an empty id', ['--id='], 'id_invalid'],
  ['no URL', ['--request', 'localhost'], 'url_invalid'],
  ['a path for a URL', ['--request', '/hooks'], 'url_invalid'],
  ['another protocol', ['--request', 'file:///etc/passwd'], 'url_invalid'],
  ['a URL with a user', ['--request', 'http://user@h/'], 'url_invalid'],
  ['a URL without a host', ['--request', 'http://'], 'url_invalid'],
  ['a request as JSON', ['--request', 'http://h/'], 'arguments_invalid'],
  ['an option of verify', ['--now', '1'], 'option_unknown'],
]

test.each(MISUSES)('%s is misuse: exit 2', (_, args, code) => {
  const { status, answer } = json(['sign', ...args], { input: '{}' })
  expect(status).toBe(2)
  expect(answer).toEqual({ error: { code, message: expect.any(String) } })
})
