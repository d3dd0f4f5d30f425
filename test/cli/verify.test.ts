import { expect, test } from 'vitest'
import {
  AT,
  delivery,
  eventBody,
  file,
  headerOf,
  hookproof,
  json,
  OFFICIAL,
  OTHER_SECRET,
  rawRequest,
} from './hookproof.ts'

const official = delivery(OFFICIAL.body, OFFICIAL.header)

test("the provider's published vector is accepted, in one line", () => {
  const run = hookproof(['verify', file('official.http', official), '--now', '1700000012'])
  expect(run).toEqual({
    status: 0,
    stdout:
      'accepted: invoice.paid evt_123 (invoice inv_123), signed 12 s before now, by secret 1 of 1, signature 2\n',
    stderr: '',
  })
})

test('--json gives the verdict with the event as it was sent, its indices from 0', () => {
  const { status, answer } = json(['verify', ...AT], { input: official })
  expect(status).toBe(0)
  expect(Object.keys(answer)).toEqual([
    'ok',
    'event',
    'delivery',
    'timestamp',
    'matched',
    'warnings',
  ])
  expect(answer).toEqual({
    ok: true,
    event: JSON.parse(OFFICIAL.body),
    delivery: {
      scheme: 'paymos',
      id: 'evt_123',
      idSigned: true,
      type: 'invoice.paid',
      occurredAt: 1700000000,
      resource: { kind: 'invoice', id: 'inv_123' },
    },
    timestamp: 1700000000,
    matched: { secret: 0, signature: 1 },
    warnings: [],
  })
})

test.each([
  ['nothing', []],
  ['a dash', ['-']],
])('%s for FILE is standard input', (_, args) => {
  expect(hookproof(['verify', ...args, ...AT], { input: official }).status).toBe(0)
})

test('a file may have a name that looks like an option, after two dashes', () => {
  const path = file('--json', official)
  const run = hookproof(['verify', ...AT, '--', '--json'], { cwd: path.slice(0, -7) })
  expect(run.status).toBe(0)
  expect(run.stdout).toMatch(/^accepted: /u)
})

const wrongBody = OFFICIAL.body.replace('evt_123', 'evt_124')
const REFUSED: readonly [title: string, Buffer, reason: string, stage: string, number][] = [
  ['a delivery without a signature', rawRequest([], '{}'), 'header_missing', 'header', 400],
  ['a malformed header', delivery('{}', 'v1=00'), 'timestamp_missing', 'header', 400],
  [
    'two signature lines',
    rawRequest(
      [
        `X-Webhook-Signature: ${OFFICIAL.header}`,
        `x-webhook-signature: ${headerOf(OFFICIAL.body)}`,
      ],
      OFFICIAL.body,
    ),
    'timestamp_duplicate',
    'header',
    400,
  ],
  [
    'an old delivery',
    delivery(OFFICIAL.body, headerOf(OFFICIAL.body, OFFICIAL.secret, 1699999699)),
    'timestamp_too_old',
    'freshness',
    401,
  ],
  [
    'a delivery of the future',
    delivery(OFFICIAL.body, headerOf(OFFICIAL.body, OFFICIAL.secret, 1700000301)),
    'timestamp_too_new',
    'freshness',
    401,
  ],
  ['a changed body', delivery(wrongBody, OFFICIAL.header), 'signature_mismatch', 'signature', 401],
  ['an empty body', delivery(''), 'body_not_json', 'body', 422],
  ['binary bytes', delivery(Uint8Array.of(0xff, 0, 0x0a, 0x0d)), 'body_not_utf8', 'body', 422],
  ['a list', delivery('[]'), 'envelope_not_object', 'envelope', 422],
  [
    'an event without an id',
    delivery(eventBody({ event_id: '' })),
    'envelope_field_value',
    'envelope',
    422,
  ],
]

test.each(REFUSED)('%s is refused with its reason', (_, input, reason, stage, status) => {
  const run = hookproof(['verify', ...AT], { input })
  expect(run.status).toBe(1)
  expect(run.stdout).toMatch(
    new RegExp(`^refused: ${reason} \\(${stage}, ${status}\\): .+\\n$`, 'u'),
  )
  const { status: exit, answer } = json(['verify', ...AT], { input })
  expect(exit).toBe(1)
  expect(answer).toEqual({ ok: false, reason, stage, status, detail: expect.any(String) })
})

test('the line names the secret and the signature that met', () => {
  const header = `${headerOf(OFFICIAL.body, 'whsec_neither')},v1=${headerOf(OFFICIAL.body, OTHER_SECRET).slice(-64)}`
  const env = { OLD: OFFICIAL.secret, NEW: OTHER_SECRET }
  const args = ['verify', ...AT, '--secret-env', 'OLD', '--secret-env', 'NEW']
  const input = delivery(OFFICIAL.body, header)
  expect(hookproof(args, { input, env }).stdout).toContain(', by secret 2 of 2, signature 2')
  expect(json(args, { input, env }).answer.matched).toEqual({ secret: 1, signature: 1 })
})

test('an id header that differs from the signed id is warned of', () => {
  const input = rawRequest(
    [`X-Webhook-Signature: ${OFFICIAL.header}`, 'X-Webhook-Id: evt_999'],
    OFFICIAL.body,
  )
  const run = hookproof(['verify', ...AT], { input })
  expect(run.status).toBe(0)
  expect(run.stdout).toContain(', warning delivery_id_mismatch: ')
  expect(run.stdout).not.toContain('evt_999')
  expect(json(['verify', ...AT], { input }).answer.warnings).toEqual(['delivery_id_mismatch'])
})

test.each([
  ['1700000300', 0, 'signed 300 s before now'],
  ['1700000301', 1, 'timestamp_too_old'],
  ['1699999700', 0, 'signed 300 s after now'],
  ['1699999699', 1, 'timestamp_too_new'],
  ['0', 1, 'timestamp_too_new'],
])('--now %s is the time to judge by', (now, status, text) => {
  const run = hookproof(['verify', '--now', now], { input: official })
  expect(run.status).toBe(status)
  expect(run.stdout).toContain(text)
})

test.each([
  ['0', '1700000000', 0],
  ['0', '1700000001', 1],
  ['301', '1700000301', 0],
  ['unlimited', '2700000000', 0],
])('--tolerance %s at %s exits with %i', (tolerance, now, status) => {
  const run = hookproof(['verify', '--tolerance', tolerance, '--now', now], { input: official })
  expect(run.status).toBe(status)
})

test('without --now the clock judges, and a remark says how to look at an old delivery', () => {
  const run = hookproof(['verify'], { input: official })
  expect(run.status).toBe(1)
  expect(run.stdout).toContain('timestamp_too_old')
  expect(run.stderr).toContain('--tolerance unlimited')
  expect(hookproof(['verify', '--tolerance=unlimited'], { input: official }).status).toBe(0)
})

test.each([
  [119, 0],
  [118, 1],
])('--max-body-bytes %i for a body of 119 bytes exits with %i', (limit, status) => {
  const run = hookproof(['verify', ...AT, '--max-body-bytes', `${limit}`], { input: official })
  expect(run.status).toBe(status)
  if (status === 1) expect(run.stdout).toContain('body_too_large (size, 413)')
})

test('bodies are limited to 1 MiB unless said otherwise', () => {
  const input = delivery(eventBody({ data: { text: 'x'.repeat(1024 * 1024) } }))
  expect(hookproof(['verify', ...AT], { input }).stdout).toContain('body_too_large')
  const more = ['verify', ...AT, '--max-body-bytes', '2000000']
  expect(hookproof(more, { input }).status).toBe(0)
})

test('an event nested more deeply than a serialiser follows is printed all the same', () => {
  const depth = 200_000
  const body = eventBody({ data: { deep: 0 } }).replace(
    '"deep":0',
    `"deep":${'['.repeat(depth)}${']'.repeat(depth)}`,
  )
  const { status, answer } = json(['verify', ...AT], { input: delivery(body) })
  expect(status).toBe(0)
  expect(answer.event.event_id).toBe('evt_123')
})

test.each([
  ['an escape sequence', '\u001b[31mred\u001b[0m', '"\\u001b[31mred\\u001b[0m"'],
  ['a line break', 'evt\r\naccepted: x', '"evt\\u000d\\u000aaccepted: x"'],
  ['a C1 control', 'evt\u009b31m', '"evt\\u009b31m"'],
  ['a NUL', 'evt\u0000', '"evt\\u0000"'],
  ['a text direction override', 'evt\u202etve', '"evt\\u202etve"'],
  ['an invisible character', 'evt\u200b', '"evt\\u200b"'],
  ['a tag character', 'evt\u{e0041}', '"evt\\udb40\\udc41"'],
  ['a line separator', 'evt\u2028', '"evt\\u2028"'],
  ['half a character', 'evt\ud800', '"evt\\ud800"'],
  ['a quote', 'evt" evil', '"evt\\" evil"'],
  ['a backslash', 'evt\\u0041', '"evt\\\\u0041"'],
  ['another script', 'évt_ü', '"évt_ü"'],
])('%s in an event id reaches no terminal', (_, id, printed) => {
  const input = delivery(eventBody({ event_id: id }))
  const run = hookproof(['verify', ...AT], { input })
  expect(run.status).toBe(0)
  expect(run.stdout).toBe(
    `accepted: invoice.paid ${printed} (invoice inv_123), signed 0 s before now, by secret 1 of 1, signature 1\n`,
  )
  // In JSON it is escaped and means the same.
  expect(json(['verify', ...AT], { input }).answer.event.event_id).toBe(id)
})

test('event type and resource id are as harmless as the id, and endless ones are cut', () => {
  const event = { event_type: 'invoice.\u0007', data: { invoice_id: `\u0008${'x'.repeat(9999)}` } }
  const { stdout } = hookproof(['verify', ...AT], { input: delivery(eventBody(event)) })
  expect(stdout).toMatch(/^accepted: "invoice\.\\u0007" evt_123 \(invoice "\\u0008x+…"\), /u)
  expect(stdout.length).toBeLessThan(300)
})

test('raw controls in the body stay harmless in JSON, and mean the same', () => {
  const body = `{\r\n\t"note": "\u007f\u009b\u202e",\n${OFFICIAL.body.slice(1)}`
  const { answer } = json(['verify', ...AT], { input: delivery(body) })
  expect(answer.event).toEqual(JSON.parse(body))
})

test('a body that may have got a line break from an editor is remarked on, after a mismatch only', () => {
  const lines = [`X-Webhook-Signature: ${OFFICIAL.header}`]
  const broken = hookproof(['verify', ...AT], { input: rawRequest(lines, `${OFFICIAL.body}\n`) })
  expect(broken.status).toBe(1)
  expect(broken.stderr).toMatch(/line break/u)
  const whole = hookproof(['verify', ...AT], { input: delivery(`${OFFICIAL.body}\n`) })
  expect(whole).toMatchObject({ status: 0, stderr: '' })
})

test('a body that lost bytes on being saved as text is remarked on', () => {
  const input = JSON.stringify({
    headers: { 'x-webhook-signature': OFFICIAL.header },
    body: '{"\ufffd":1}',
  })
  const run = hookproof(['verify', ...AT], { input })
  expect(run.stdout).toContain('signature_mismatch')
  expect(run.stderr).toContain('U+FFFD')
})
