import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  AT,
  delivery,
  eventBody,
  file,
  headerOf,
  hookproof,
  json,
  nowhere,
  OFFICIAL,
  rawRequest,
} from './hookproof.ts'

const SIGNATURE = `X-Webhook-Signature: ${OFFICIAL.header}`
const LENGTH = `Content-Length: ${OFFICIAL.body.length}`
const headers = { 'X-Webhook-Signature': OFFICIAL.header }
const base64 = Buffer.from(OFFICIAL.body).toString('base64')

function chunked(body: string | Uint8Array, size: number, end = '\r\n', extension = ''): Buffer {
  const parts: Buffer[] = []
  const bytes = Buffer.from(body)
  for (let from = 0; from < bytes.length; from += size) {
    const chunk = bytes.subarray(from, from + size)
    const line = `${chunk.length.toString(16)}${extension}${end}`
    parts.push(Buffer.from(line), chunk, Buffer.from(end))
  }
  return Buffer.concat([...parts, Buffer.from(`0${end}${end}`)])
}

const CHUNKED = [SIGNATURE, 'Transfer-Encoding: chunked']

const FORMS: readonly [title: string, string | Uint8Array][] = [
  ['a raw request with CRLF', rawRequest([LENGTH, SIGNATURE], OFFICIAL.body)],
  ['a raw request with LF', rawRequest([LENGTH, SIGNATURE], OFFICIAL.body, '\n')],
  ['a raw request without a length', rawRequest([SIGNATURE], OFFICIAL.body)],
  [
    'header names in any case',
    rawRequest([SIGNATURE.toUpperCase().replace(/:.*/u, '') + SIGNATURE.slice(19)], OFFICIAL.body),
  ],
  [
    'blanks around a header value',
    rawRequest([SIGNATURE.replace(': ', ':\t '), `${LENGTH} \t`], OFFICIAL.body),
  ],
  ['the same length twice', rawRequest([LENGTH, LENGTH, SIGNATURE], OFFICIAL.body)],
  ['a blank line before the request line', Buffer.concat([Buffer.from('\r\n'), delivery()])],
  [
    'HTTP/2 as tools write it',
    Buffer.from(delivery().toString('latin1').replace('HTTP/1.1', 'HTTP/2')),
  ],
  ['another method', Buffer.from(delivery().toString('latin1').replace('POST', 'PUT'))],
  ['a byte order mark in front', Buffer.concat([Buffer.from('\ufeff'), delivery()])],
  [
    'a header of other bytes than ASCII',
    rawRequest(['X-Note: \u00ff\u0080', SIGNATURE], OFFICIAL.body),
  ],
  ['one chunk', rawRequest(CHUNKED, chunked(OFFICIAL.body, 4096))],
  ['many chunks', rawRequest(CHUNKED, chunked(OFFICIAL.body, 1))],
  ['chunks with LF', rawRequest(CHUNKED, chunked(OFFICIAL.body, 7, '\n'), '\n')],
  [
    'chunks with extensions',
    rawRequest(CHUNKED, chunked(OFFICIAL.body, 50, '\r\n', ' ;a=b;c="d"')),
  ],
  [
    'upper-case chunk sizes',
    rawRequest(
      CHUNKED,
      chunked(OFFICIAL.body, 31)
        .toString()
        .replaceAll('1f\r\n', '1F\r\n')
        .replace('1a\r\n', '1A\r\n'),
    ),
  ],
  [
    'trailers after the chunks',
    rawRequest(
      CHUNKED,
      chunked(OFFICIAL.body, 50)
        .toString()
        .replace(/\r\n$/u, 'X-Webhook-Signature: t=1\r\nX: y\r\n\r\n'),
    ),
  ],
  [
    'a coding named in other case',
    rawRequest([SIGNATURE, 'transfer-encoding: Chunked'], chunked(OFFICIAL.body, 9)),
  ],
  ['JSON with a record', JSON.stringify({ headers, body: OFFICIAL.body })],
  [
    'JSON with lists of lines',
    JSON.stringify({
      headers: { 'x-webhook-signature': [OFFICIAL.header], accept: ['a', 'b'], cookie: [] },
      body: OFFICIAL.body,
    }),
  ],
  ['JSON with pairs', JSON.stringify({ headers: Object.entries(headers), body: OFFICIAL.body })],
  [
    'JSON spread out, with blanks in front',
    ` \r\n\t${JSON.stringify({ headers, body: OFFICIAL.body }, null, 2)}\n`,
  ],
  ['JSON with a byte order mark', `\ufeff${JSON.stringify({ headers, body: OFFICIAL.body })}`],
  [
    'JSON as a serverless platform saves it',
    JSON.stringify({ version: '2.0', headers, body: base64, isBase64Encoded: true }),
  ],
  [
    'JSON of a platform that left the text as it is',
    JSON.stringify({ headers, body: OFFICIAL.body, isBase64Encoded: false }),
  ],
  ['JSON with bodyEncoding', JSON.stringify({ headers, body: base64, bodyEncoding: 'base64' })],
  [
    'JSON that says base64 twice',
    JSON.stringify({ headers, body: base64, bodyEncoding: 'base64', isBase64Encoded: true }),
  ],
]

test.each(FORMS)('%s is read, from a file and from standard input', (_, content) => {
  const args = ['verify', ...AT]
  const accepted = expect.stringMatching(/^accepted: invoice\.paid evt_123 /u)
  const fromFile = hookproof([...args, file('delivery', content)])
  expect(fromFile).toEqual({ status: 0, stdout: accepted, stderr: '' })
  expect(hookproof(args, { input: content })).toEqual(fromFile)
})

test('a body of any bytes reaches the signature unchanged', () => {
  const bodies = [
    Uint8Array.from({ length: 256 }, (_, index) => index),
    gzipSync(OFFICIAL.body, { level: 0 }),
    Buffer.from('\r\n\r\n{"a":\n1}\r\n\n'),
    Buffer.from('\ufeff{}'),
    Buffer.from([0]),
  ]
  for (const body of bodies) {
    const signature = headerOf(body)
    const line = `X-Webhook-Signature: ${signature}`
    const forms = [
      delivery(body),
      rawRequest([line], body),
      rawRequest([line], body, '\n'),
      rawRequest([line, 'Transfer-Encoding: chunked'], chunked(body, 3)),
      JSON.stringify({
        headers: { 'x-webhook-signature': signature },
        body: Buffer.from(body).toString('base64'),
        isBase64Encoded: true,
      }),
    ]
    // Whatever they hold, they are judged past the signature.
    for (const input of forms) {
      expect(json(['verify', ...AT], { input }).answer.stage).toMatch(/^(?:body|envelope)$/u)
    }
  }
})

test('JSON gives null for an empty body', () => {
  const input = JSON.stringify({ headers: { 'x-webhook-signature': headerOf('') }, body: null })
  expect(json(['verify', ...AT], { input }).answer.reason).toBe('body_not_json')
})

test('bytes behind the announced length are left out, and said to be', () => {
  for (const extra of ['\n', '\r\n', 'GET / HTTP/1.1\r\n\r\n']) {
    const run = hookproof(['verify', ...AT], {
      input: Buffer.concat([delivery(), Buffer.from(extra)]),
    })
    expect(run.status).toBe(0)
    expect(run.stderr).toBe(
      `hookproof: left out ${extra.length} byte(s) after the end of the body\n`,
    )
  }
  const input = rawRequest(CHUNKED, `${chunked(OFFICIAL.body, 50)}\n`)
  const run = hookproof(['verify', ...AT], { input })
  expect(run).toMatchObject({ status: 0, stderr: expect.stringContaining('left out 1 byte') })
})

const MALFORMED: readonly [title: string, string | Uint8Array, says: RegExp][] = [
  ['an empty file', '', /empty/u],
  ['a blank file', ' \r\n\t\n', /empty/u],
  ['text', 'hello\n\nworld', /line 1 is no request line/u],
  ['a response', 'HTTP/1.1 200 OK\r\n\r\n', /line 1 is no request line/u],
  ['headers without a request line', `${SIGNATURE}\r\n\r\n{}`, /line 1 is no request line/u],
  [
    'a trace with marks in front',
    `> POST / HTTP/1.1\n> ${SIGNATURE}\n>\n{}`,
    /line 1 is no request line/u,
  ],
  ['no blank line', `POST / HTTP/1.1\r\n${SIGNATURE}\r\n`, /no blank line/u],
  ['a request line alone', 'POST / HTTP/1.1', /no blank line/u],
  ['no line at all', 'x'.repeat(3 * 1024 * 1024), /no blank line ends the headers within/u],
  [
    'endless headers',
    `POST / HTTP/1.1\n${'a:b\n'.repeat(300_000)}\n`,
    /no blank line ends the headers within/u,
  ],
  [
    'a header line without a colon',
    rawRequest(['X-Webhook-Signature'], ''),
    /line 2 is no header line/u,
  ],
  ['a header without a name', rawRequest([SIGNATURE, ': x'], ''), /line 3 is no header line/u],
  [
    'a blank before the colon',
    rawRequest([SIGNATURE.replace(':', ' :')], ''),
    /line 2 is no header line/u,
  ],
  ['a folded header', rawRequest([SIGNATURE, ' folded'], ''), /line 3 is no header line/u],
  ['a NUL in a header', rawRequest(['A: \0'], ''), /line 2 is no header line/u],
  ['a bare CR in a header', rawRequest(['A: b\rC: d'], ''), /line 2 is no header line/u],
  ['a negative length', rawRequest(['Content-Length: -1'], '{}'), /Content-Length is no number/u],
  [
    'a length with a sign',
    rawRequest(['Content-Length: +2'], '{}'),
    /Content-Length is no number/u,
  ],
  ['a hex length', rawRequest(['Content-Length: 0x2'], '{}'), /Content-Length is no number/u],
  [
    'a fractional length',
    rawRequest(['Content-Length: 2.0'], '{}'),
    /Content-Length is no number/u,
  ],
  ['an empty length', rawRequest(['Content-Length:'], '{}'), /Content-Length is no number/u],
  ['a list of lengths', rawRequest(['Content-Length: 2, 2'], '{}'), /Content-Length is no number/u],
  [
    'an unthinkable length',
    rawRequest([`Content-Length: ${'9'.repeat(400)}`], '{}'),
    /Content-Length is no number/u,
  ],
  ['two lengths', rawRequest(['Content-Length: 1', 'Content-Length: 2'], '{}'), /given twice/u],
  ['length and chunks', rawRequest([...CHUNKED, LENGTH], '0\r\n\r\n'), /exclude each other/u],
  [
    'another transfer coding',
    rawRequest(['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'),
    /only be chunked/u,
  ],
  [
    'two transfer codings',
    rawRequest([...CHUNKED, 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    /only be chunked/u,
  ],
  [
    'an undecided transfer coding',
    rawRequest(['Transfer-Encoding:'], '0\r\n\r\n'),
    /only be chunked/u,
  ],
  [
    'chunks that are decoded already',
    rawRequest(CHUNKED, `${OFFICIAL.body}\n`),
    /remove Transfer-Encoding/u,
  ],
  ['a chunk size that is no hex', rawRequest(CHUNKED, 'xyz\r\n'), /chunk size/u],
  ['a negative chunk size', rawRequest(CHUNKED, '-1\r\na\r\n0\r\n\r\n'), /chunk size/u],
  ['a chunk size with a prefix', rawRequest(CHUNKED, '0x1\r\na\r\n0\r\n\r\n'), /chunk size/u],
  ['an empty chunk size', rawRequest(CHUNKED, '\r\n0\r\n\r\n'), /chunk size/u],
  ['an endless chunk size', rawRequest(CHUNKED, `${'f'.repeat(5000)}\r\n`), /a line is too long/u],
  [
    'a chunk longer than its size',
    rawRequest(CHUNKED, '1\r\nab\r\n0\r\n\r\n'),
    /longer than its size/u,
  ],
  ['a brace and no JSON', '{"headers":', /not one JSON document/u],
  ['JSON and more', `${JSON.stringify({ headers, body: '' })} {}`, /not one JSON document/u],
  ['JSON nested without end', `{"a":${'['.repeat(500_000)}`, /not one JSON document/u],
  ['JSON that is not UTF-8', Buffer.from('7b22ff223a317d', 'hex'), /not UTF-8/u],
  ['a list of deliveries', JSON.stringify([{ headers, body: '' }]), /line 1 is no request line/u],
  ['UTF-16', Buffer.from(`\ufeff${JSON.stringify({ headers })}`, 'utf16le'), /UTF-16/u],
  ['JSON without headers', JSON.stringify({ body: '{}' }), /headers must be/u],
  ['headers that are null', JSON.stringify({ headers: null, body: '' }), /headers must be/u],
  ['headers as text', JSON.stringify({ headers: SIGNATURE, body: '' }), /headers must be/u],
  ['flat headers', JSON.stringify({ headers: Object.entries(headers).flat(), body: '' }), /pairs/u],
  ['headers as triples', JSON.stringify({ headers: [['a', 'b', 'c']], body: '' }), /pairs/u],
  ['a pair without a name', JSON.stringify({ headers: [[1, 'b']], body: '' }), /pairs/u],
  ['a header that is a number', JSON.stringify({ headers: { a: 1 }, body: '' }), /must be text/u],
  ['a header that is null', JSON.stringify({ headers: { a: null }, body: '' }), /must be text/u],
  [
    'a header that is a list of numbers',
    JSON.stringify({ headers: { a: [1] }, body: '' }),
    /must be text/u,
  ],
  ['a header that is an object', JSON.stringify({ headers: { a: {} }, body: '' }), /must be text/u],
  ['JSON without a body', JSON.stringify({ headers }), /body is missing/u],
  [
    'a parsed body',
    JSON.stringify({ headers, body: JSON.parse(OFFICIAL.body) }),
    /not what was signed/u,
  ],
  ['a body that is a number', JSON.stringify({ headers, body: 1 }), /must be text/u],
  [
    'a body that is a list of bytes',
    JSON.stringify({ headers, body: [123, 125] }),
    /must be text/u,
  ],
  ['half a character in a body', JSON.stringify({ headers, body: '\ud800' }), /lone surrogate/u],
  [
    'base64 with a line break',
    JSON.stringify({ headers, body: `${base64}\n`, isBase64Encoded: true }),
    /not base64/u,
  ],
  [
    'base64 without padding',
    JSON.stringify({ headers, body: 'e30', isBase64Encoded: true }),
    /not base64/u,
  ],
  [
    'base64 with set padding bits',
    JSON.stringify({ headers, body: 'e31=', bodyEncoding: 'base64' }),
    /not base64/u,
  ],
  [
    'base64 of the URL alphabet',
    JSON.stringify({ headers, body: '_-8=', isBase64Encoded: true }),
    /not base64/u,
  ],
  [
    'text said to be base64',
    JSON.stringify({ headers, body: OFFICIAL.body, isBase64Encoded: true }),
    /not base64/u,
  ],
  [
    'isBase64Encoded as text',
    JSON.stringify({ headers, body: base64, isBase64Encoded: 'true' }),
    /true or false/u,
  ],
  [
    'isBase64Encoded as null',
    JSON.stringify({ headers, body: base64, isBase64Encoded: null }),
    /true or false/u,
  ],
  [
    'another bodyEncoding',
    JSON.stringify({ headers, body: '7b7d', bodyEncoding: 'hex' }),
    /only be "base64"/u,
  ],
  [
    'contradicting encodings',
    JSON.stringify({ headers, body: base64, bodyEncoding: 'base64', isBase64Encoded: false }),
    /contradict/u,
  ],
]

test.each(MALFORMED)('%s is no delivery: exit 2 and one line', (_, input, says) => {
  const run = hookproof(['verify', ...AT], { input })
  expect(run).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(says) })
  expect(run.stderr).toMatch(/^hookproof: .+\n$/u)
  const { status, answer, stderr } = json(['verify', ...AT], { input })
  expect(status).toBe(2)
  expect(stderr).toBe('')
  expect(answer.error.code).toBe('delivery_malformed')
  expect(`hookproof: ${answer.error.message}\n`).toBe(run.stderr)
})

const whole = chunked(OFFICIAL.body, 50)
const INCOMPLETE: readonly [title: string, Uint8Array][] = [
  ['fewer bytes than the length says', delivery().subarray(0, -1)],
  ['a head alone', rawRequest([LENGTH, SIGNATURE], '')],
  [
    'characters counted for bytes',
    rawRequest([`Content-Length: ${Buffer.byteLength('"ü"')}`], '"u"'),
  ],
  ['chunks without the last one', rawRequest(CHUNKED, whole.subarray(0, -5))],
  ['chunks without the last blank line', rawRequest(CHUNKED, whole.subarray(0, -2))],
  ['a chunk that breaks off', rawRequest(CHUNKED, whole.subarray(0, 30))],
  ['a chunk larger than any file', rawRequest(CHUNKED, 'fffffffffff\r\n{}\r\n0\r\n\r\n')],
  ['no chunk at all', rawRequest(CHUNKED, '')],
]

test.each(INCOMPLETE)('%s is a delivery saved incompletely: exit 2', (_, input) => {
  const run = hookproof(['verify', ...AT], { input })
  expect(run).toMatchObject({ status: 2, stdout: '' })
  expect(run.stderr).toContain('saved incompletely')
  expect(json(['verify', ...AT], { input }).answer.error.code).toBe('delivery_incomplete')
})

test('no error quotes a header or a body', () => {
  const marked = [
    rawRequest(['X-Private-Marker'], ''),
    rawRequest(['Authorization: private-marker', 'no colon private-marker'], ''),
    rawRequest(['Content-Length: private-marker'], ''),
    rawRequest(['Transfer-Encoding: private-marker'], ''),
    rawRequest(CHUNKED, 'private-marker\r\n'),
    '{"headers":{},"body":"private-marker',
    '{"headers":{"a":["private-marker",1]},"body":""}',
    '{"headers":{},"body":"private-marker","isBase64Encoded":true}',
    'private-marker',
  ]
  for (const input of marked) {
    const run = hookproof(['verify', ...AT], { input })
    expect(run.status).toBe(2)
    expect(run.stderr.toLowerCase()).not.toContain('private-marker')
  }
})

test('unreadable files exit with 2 and the cause', () => {
  const folder = nowhere().replace(/[^/\\]+$/u, '')
  expect(hookproof(['verify', nowhere()])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('there is no such file'),
  })
  expect(hookproof(['verify', folder]).stderr).toContain('it is a directory')
  expect(hookproof(['verify', '']).stderr).toContain('cannot read "": there is no such file')
  expect(json(['verify', nowhere()]).answer.error.code).toBe('file_unreadable')
  const odd = hookproof(['verify', 'no\u001b[31m\nsuch file'])
  expect(odd.stderr).toBe(
    'hookproof: cannot read "no\\u001b[31m\\u000asuch file": there is no such file\n',
  )
})

test('a file above 16 MiB is refused, from the disk and from a pipe', () => {
  const large = Buffer.alloc(16 * 1024 * 1024 + 1, 'x')
  for (const command of ['verify', 'sign']) {
    const run = hookproof([command, file('large', large)])
    expect(run).toMatchObject({ status: 2, stdout: '' })
    expect(run.stderr).toContain('is larger than 16777216 bytes')
    expect(json([command], { input: large }).answer.error.code).toBe('file_too_large')
  }
})

test.skipIf(process.platform === 'win32')('an endless device is not read to its end', () => {
  expect(hookproof(['verify', '/dev/zero']).stderr).toContain('is larger than')
})

test('a large delivery within the limits is judged', () => {
  const body = eventBody({ data: { text: 'x'.repeat(4_000_000) } })
  const input = rawRequest(
    [`X-Webhook-Signature: ${headerOf(body)}`, 'Transfer-Encoding: chunked'],
    chunked(body, 5),
  )
  const run = hookproof(['verify', ...AT, '--max-body-bytes', '5000000'], { input })
  expect(run).toMatchObject({ status: 0, stderr: '' })
})
