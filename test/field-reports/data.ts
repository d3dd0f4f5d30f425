import { gzipSync } from 'node:zlib'
import { BODY, EVENT, mac, NOW, OFFICIAL, SECRET, signed } from '../fixtures.ts'

// What the receivers of people who asked for help were sent, and what they were configured with:
// each row's own data, as Paymos deliveries that are signed by node:crypto. Rows are those of
// reports.ts.

/** One delivery, with what a verifier has to say about it. */
export interface Item {
  readonly row: number
  readonly what: string
  /** Of X-Webhook-Signature; `undefined` for none. */
  readonly header: string | readonly string[] | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the usual event. */
  readonly body?: string | Uint8Array
  /** Default: the secret it was signed with. */
  readonly secret?: string | readonly string[]
  readonly now?: number
  readonly tolerance?: number
  /** Accepted, or the reason of the refusal. */
  readonly expect: 'ok' | `${string}_${string}`
  /** What the refusal has to tell. */
  readonly detail?: RegExp
}

const OTHER = 'test_only_secret_B'
const BOTH = [OTHER, SECRET]
const ZEROS = '0'.repeat(64)
const RIGHT = mac(BODY)
const OURS = `t=${NOW},v1=${RIGHT}`
const at = (t: number) => signed(BODY, SECRET, t)

/** The event with something else in its data, given as JSON text. */
const having = (json: string) => BODY.replace('{"invoice_id":"inv_1"}', () => json)

/** A body that is accepted as it was sent, and not as a parser and a serialiser would leave it. */
function rewritten(row: number, what: string, sent: string, rebuilt: string): Item[] {
  const header = signed(sent)
  return [
    { row, what: `${what}, as it was sent`, header, body: sent, expect: 'ok' },
    { row, what: `${what}, rebuilt`, header, body: rebuilt, expect: 'signature_mismatch' },
  ]
}

/** Values of `t` that are signed as they stand, so that only their form is wrong. */
const badTimes = (row: number, ...times: readonly string[]) =>
  times.map(
    (t): Item => ({
      row,
      what: `the time ${t.length > 40 ? `of ${t.length} digits` : JSON.stringify(t)}`,
      header: signed(BODY, SECRET, t),
      expect: 'timestamp_malformed',
    }),
  )

/** Signatures that cannot be one. */
const badSignatures = (row: number, ...signatures: readonly string[]) =>
  signatures.map(
    (v1): Item => ({
      row,
      what: `a signature of ${v1.length} characters from ${v1[0]} to ${v1.at(-1)}`,
      header: `t=${NOW},v1=${v1}`,
      expect: 'signature_malformed',
    }),
  )

const binary = Buffer.concat([
  Buffer.from(BODY.slice(0, -4)),
  Buffer.from([0xff, 0xfe, 0xe9]),
  Buffer.from('"}}'),
])

export const ITEMS: readonly Item[] = [
  {
    row: 1,
    what: 'spaces and a last line break',
    header: signed(`${BODY.replace(',', ',  ')}\n`),
    body: `${BODY.replace(',', ',  ')}\n`,
    expect: 'ok',
  },
  { row: 3, what: 'bytes in every form', header: OURS, expect: 'ok' },
  {
    row: 4,
    what: 'bytes listed as numbers',
    header: OURS,
    body: `${Buffer.from(BODY).join()}`,
    expect: 'signature_mismatch',
  },
  {
    row: 5,
    what: 'a signature that no code of this package made',
    header: OFFICIAL.header,
    body: OFFICIAL.body,
    secret: OFFICIAL.secret,
    expect: 'ok',
  },
  {
    row: 5,
    what: 'the text quoted once more',
    header: OURS,
    body: JSON.stringify(BODY),
    expect: 'signature_mismatch',
  },
  {
    row: 9,
    what: 'the name of a stream in place of its bytes',
    header: OURS,
    body: '[object ReadableStream]',
    expect: 'signature_mismatch',
  },
  {
    row: 12,
    what: 'the signature of no bytes on a body',
    header: signed(''),
    expect: 'signature_mismatch',
  },
  {
    row: 18,
    what: 'a buffer as its JSON',
    header: OURS,
    body: JSON.stringify(Buffer.from(BODY)),
    expect: 'signature_mismatch',
  },
  {
    row: 20,
    what: 'text that happens to be base64 is hashed as it stands',
    header: signed('e30='),
    body: 'e30=',
    expect: 'body_not_json',
  },
  ...rewritten(24, 'one space', having('{"invoice_id": "inv_1"}'), JSON.stringify(EVENT, null, 2)),
  {
    row: 29,
    what: 'a body that went missing, under chosen headers',
    header: OURS,
    body: '',
    expect: 'signature_mismatch',
    detail: /0 bytes.*read before/u,
  },
  {
    row: 30,
    what: 'text of several alphabets',
    header: signed(having('{"n":"😊 ₹ മല"}')),
    body: having('{"n":"😊 ₹ മല"}'),
    expect: 'ok',
  },
  ...rewritten(
    31,
    'a character that a chunk cuts',
    having('{"n":"éř👍"}'),
    having('{"n":"éř\ufffd\ufffd"}'),
  ),
  ...rewritten(
    32,
    'an escaped line separator',
    having('{"n":"\\u2028x"}'),
    having('{"n":"\u2028x"}'),
  ),
  ...rewritten(33, 'escaped markup', having('{"c":"\\u003cp\\u003ehi"}'), having('{"c":"<p>hi"}')),
  ...rewritten(
    34,
    'escapes in lower case',
    having('{"m":"p\\u00e2tes"}'),
    having('{"m":"p\\u00E2tes"}'),
  ),
  ...rewritten(
    35,
    'escaped slashes',
    having('{"u":"https:\\/\\/x.test\\/y"}'),
    having('{"u":"https://x.test/y"}'),
  ),
  ...rewritten(
    36,
    'numbers with an idle zero',
    having('{"a":0.0,"b":136.0,"c":1e2,"d":-0}'),
    having('{"a":0,"b":136,"c":100,"d":0}'),
  ),
  ...rewritten(
    37,
    'numbers beyond 2^53',
    having('{"n":9007199254740993}'),
    having('{"n":9007199254740992}'),
  ),
  ...rewritten(38, 'odd white space', having('{ \t\t} '), having('{}')),
  {
    row: 39,
    what: 'bytes that are no UTF-8',
    header: signed(binary),
    body: binary,
    expect: 'body_not_utf8',
  },
  {
    row: 39,
    what: 'the same, decoded with loss',
    header: signed(binary),
    body: binary.toString(),
    expect: 'signature_mismatch',
  },
  {
    row: 40,
    what: 'no bytes, rightly signed',
    header: signed(''),
    body: '',
    expect: 'body_not_json',
  },
  {
    row: 40,
    what: 'no bytes, wrongly signed',
    header: `t=${NOW},v1=${ZEROS}`,
    body: '',
    expect: 'signature_mismatch',
  },
  {
    row: 41,
    what: 'signed before it was packed',
    header: OURS,
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipSync(BODY),
    expect: 'signature_mismatch',
    detail: /Content-Encoding/u,
  },
  {
    row: 45,
    what: 'a space behind each comma',
    header: `t=${NOW}, v1=${RIGHT}, v0=${ZEROS}`,
    expect: 'ok',
  },
  { row: 45, what: 'blanks around every part', header: ` t=${NOW} ,\tv1=${RIGHT} `, expect: 'ok' },
  {
    row: 46,
    what: 'the name in upper case',
    header: undefined,
    headers: { 'X-WEBHOOK-SIGNATURE': OURS },
    expect: 'ok',
  },
  {
    row: 46,
    what: 'the name as the sender spells it',
    header: undefined,
    headers: { 'X-Webhook-Signature': OURS },
    expect: 'ok',
  },
  {
    row: 46,
    what: 'two names that differ in case alone',
    header: OURS,
    headers: { 'X-Webhook-Signature': OURS },
    expect: 'timestamp_duplicate',
  },
  { row: 47, what: 'no header', header: undefined, expect: 'header_missing' },
  { row: 47, what: 'an empty header', header: '', expect: 'header_missing' },
  { row: 48, what: 'the right signature first', header: `${OURS},v1=${ZEROS}`, expect: 'ok' },
  {
    row: 48,
    what: 'the right signature last',
    header: `t=${NOW},v1=${ZEROS},v1=${RIGHT}`,
    expect: 'ok',
  },
  {
    row: 49,
    what: 'the right signature first, another version between',
    header: `${OURS},v0=${ZEROS},v1=${ZEROS}`,
    expect: 'ok',
  },
  {
    row: 49,
    what: 'the time between two signatures',
    header: `v1=${ZEROS},t=${NOW},v1=${RIGHT}`,
    expect: 'ok',
  },
  ...badSignatures(50, `é${ZEROS.slice(1)}`),
  // A blank belongs to the value (rule D4), so this is refused, but not as if the secret were wrong.
  {
    row: 51,
    what: 'a blank behind the equals sign',
    header: `t=${NOW},v1= ${RIGHT}`,
    expect: 'signature_malformed',
    detail: /64 hex digits/u,
  },
  {
    row: 51,
    what: 'base64 in place of hex',
    header: `t=${NOW},v1=${Buffer.from(RIGHT, 'hex').toString('base64')}`,
    expect: 'signature_malformed',
    detail: /64 hex digits/u,
  },
  {
    row: 52,
    what: "another provider's header",
    header: undefined,
    headers: { 'x-hub-signature-256': `sha256=${RIGHT}` },
    expect: 'header_missing',
    detail: /x-webhook-signature/u,
  },
  {
    row: 52,
    what: "another provider's form",
    header: `sha256=${RIGHT}`,
    expect: 'timestamp_missing',
  },
  {
    row: 54,
    what: 'two different times',
    header: `t=${NOW},t=${NOW - 9},v1=${RIGHT}`,
    expect: 'timestamp_duplicate',
  },
  {
    row: 54,
    what: 'the whole header twice, as a list',
    header: [OURS, OURS],
    expect: 'timestamp_duplicate',
  },
  { row: 54, what: 'a list of one', header: [OURS], expect: 'ok' },
  {
    row: 54,
    what: 'the whole header twice, joined',
    header: `${OURS}, ${OURS}`,
    expect: 'timestamp_duplicate',
  },
  { row: 55, what: 'no header', header: undefined, expect: 'header_missing' },
  { row: 55, what: 'a time alone', header: `t=${NOW}`, expect: 'signature_missing' },
  {
    row: 55,
    what: 'a signature without a digit',
    header: `t=${NOW},v1=`,
    expect: 'signature_missing',
  },
  {
    row: 56,
    what: 'the name with underscores',
    header: undefined,
    headers: { x_webhook_signature: OURS },
    expect: 'header_missing',
  },
  {
    row: 59,
    what: 'a secret that lost its second half to a shell',
    header: signed(BODY, 'whsec_a$Xy9'),
    secret: 'whsec_a',
    expect: 'signature_mismatch',
  },
  {
    row: 61,
    what: 'the signature of the empty key',
    header: signed(BODY, ''),
    secret: 'whsec_!!!!',
    expect: 'signature_mismatch',
  },
  {
    row: 61,
    what: 'a secret that is no base64 is its text',
    header: signed(BODY, 'whsec_!!!!'),
    secret: 'whsec_!!!!',
    expect: 'ok',
  },
  {
    row: 62,
    what: 'a secret that could be base64 is its text',
    header: signed(BODY, 'whsec_bm90LXJlYWxseS1iYXNlNjQ'),
    secret: 'whsec_bm90LXJlYWxseS1iYXNlNjQ',
    expect: 'ok',
  },
  {
    row: 62,
    what: 'a secret that could not',
    header: signed(BODY, 'lin_wh_not+base64_%%'),
    secret: 'lin_wh_not+base64_%%',
    expect: 'ok',
  },
  {
    row: 63,
    what: "a tunnel's own secret, not known here",
    header: OURS,
    secret: OTHER,
    expect: 'signature_mismatch',
  },
  { row: 63, what: "a tunnel's own secret, listed", header: OURS, secret: BOTH, expect: 'ok' },
  {
    row: 64,
    what: 'the secret of another endpoint',
    header: OURS,
    secret: OTHER,
    expect: 'signature_mismatch',
  },
  { row: 67, what: 'one of two kinds of subscription', header: OURS, secret: BOTH, expect: 'ok' },
  { row: 68, what: 'the old secret while it is listed', header: OURS, secret: BOTH, expect: 'ok' },
  {
    row: 68,
    what: 'the old secret once it is gone',
    header: OURS,
    secret: [OTHER],
    expect: 'signature_mismatch',
  },
  ...(
    [
      ['the new secret', OTHER, 'ok'],
      ['the old secret', SECRET, 'ok'],
      ['both', BOTH, 'ok'],
      ['neither', 'test_only_secret_C', 'signature_mismatch'],
    ] as const
  ).map(
    ([what, secret, expect]): Item => ({
      row: 69,
      what: `a rotation, seen with ${what}`,
      header: `t=${NOW},v1=${mac(BODY, OTHER)},v1=${RIGHT}`,
      secret,
      expect,
    }),
  ),
  { row: 72, what: 'seconds, ten seconds old', header: at(NOW - 10), expect: 'ok' },
  {
    row: 72,
    what: 'milliseconds',
    header: at(NOW * 1000),
    expect: 'timestamp_malformed',
    detail: /unix seconds/u,
  },
  { row: 73, what: 'one second too far ahead', header: at(NOW + 301), expect: 'timestamp_too_new' },
  { row: 73, what: 'as far ahead as allowed', header: at(NOW + 300), expect: 'ok' },
  { row: 73, what: 'a day ahead', header: at(NOW + 86_400), expect: 'timestamp_too_new' },
  { row: 73, what: 'as old as allowed', header: at(NOW - 300), expect: 'ok' },
  { row: 73, what: 'one second too old', header: at(NOW - 301), expect: 'timestamp_too_old' },
  { row: 74, what: 'a sender one second ahead', header: at(NOW + 1), expect: 'ok' },
  ...badTimes(75, 'abc', '', 'NaN', `${NOW}abc`),
  ...badTimes(76, '9'.repeat(309), '1e9', '0x6553f100', `+${NOW}`, `${NOW}.5`, '-1', ` ${NOW}`),
  {
    row: 77,
    what: 'a day old, with two days allowed',
    header: at(NOW - 86_400),
    tolerance: 172_800,
    expect: 'ok',
  },
  { row: 77, what: 'a day old', header: at(NOW - 86_400), expect: 'timestamp_too_old' },
  {
    row: 78,
    what: 'judged when it left the queue',
    header: at(NOW - 3600),
    expect: 'timestamp_too_old',
    detail: /3600 s ago/u,
  },
  {
    row: 78,
    what: 'judged by the time it was received',
    header: at(NOW - 3600),
    now: NOW - 3598,
    expect: 'ok',
  },
  {
    row: 79,
    what: 'sent again with the old header',
    header: at(NOW - 3600),
    expect: 'timestamp_too_old',
  },
  { row: 79, what: 'signed anew', header: OURS, expect: 'ok' },
  {
    row: 80,
    what: 'a captured signature under a new time',
    header: `t=${NOW},v1=${mac(BODY, SECRET, NOW - 3600)}`,
    expect: 'signature_mismatch',
  },
  {
    row: 81,
    what: 'a tolerance of 0, a second later',
    header: at(NOW - 1),
    tolerance: 0,
    expect: 'timestamp_too_old',
  },
  {
    row: 81,
    what: 'a tolerance of 0, three minutes later',
    header: at(NOW - 200),
    tolerance: 0,
    expect: 'timestamp_too_old',
  },
  {
    row: 81,
    what: 'a tolerance of 0, in the same second',
    header: OURS,
    tolerance: 0,
    expect: 'ok',
  },
  {
    row: 82,
    what: 'a clock that stood still for half a day',
    header: at(NOW + 44_000),
    expect: 'timestamp_too_new',
    detail: /44000 s ahead/u,
  },
  { row: 83, what: 'ahead of the clock', header: at(NOW + 299), expect: 'ok' },
  {
    row: 83,
    what: 'the same, nearly twice the tolerance later',
    header: at(NOW + 299),
    now: NOW + 598,
    expect: 'ok',
  },
  ...badSignatures(89, 'abcd', 'a'.repeat(63), 'a'.repeat(65), 'a'.repeat(128), 'z'.repeat(64)),
  ...badSignatures(90, `${'a'.repeat(63)}ü`),
  { row: 91, what: 'bytes of another realm', header: OURS, expect: 'ok' },
  { row: 92, what: 'a buffer of another realm', header: OURS, expect: 'ok' },
  { row: 102, what: 'a list of one', header: [OURS], expect: 'ok' },
  {
    row: 103,
    what: 'header and body changed places',
    header: BODY,
    body: OURS,
    expect: 'timestamp_missing',
    detail: /expected t=/u,
  },
  {
    row: 118,
    what: 'one field more than was signed',
    header: OURS,
    body: having('{"invoice_id":"inv_1","attempt":2}'),
    expect: 'signature_mismatch',
    detail: new RegExp(`these ${BODY.length + 12} bytes`, 'u'),
  },
  {
    row: 120,
    what: 'ten thousand signatures',
    header: `${OURS}${`,v1=${ZEROS}`.repeat(10_000)}`,
    expect: 'header_too_long',
  },
  {
    row: 120,
    what: 'one signature too many',
    header: `${OURS}${`,v1=${ZEROS}`.repeat(16)}`,
    expect: 'signatures_too_many',
  },
  {
    row: 120,
    what: 'as many signatures as are read',
    header: `t=${NOW}${`,v1=${ZEROS}`.repeat(16)}`,
    expect: 'signature_mismatch',
  },
  {
    row: 121,
    what: 'a wrong signature',
    header: `t=${NOW},v1=${ZEROS}`,
    expect: 'signature_mismatch',
  },
]

/** Options that are refused when a verifier is made. */
export const CONFIGURATIONS: readonly {
  readonly row: number
  readonly what: string
  readonly options: object
  readonly code: string
  readonly advice?: RegExp
}[] = [
  {
    row: 53,
    what: 'a header name of one’s own',
    options: { secret: SECRET, headerName: ' X-Webhook-Signature ' },
    code: 'option_unknown',
    advice: /headerName/u,
  },
  {
    row: 57,
    what: 'a blank behind the secret',
    options: { secret: `${SECRET} ` },
    code: 'secret_invalid',
    advice: /white space/u,
  },
  {
    row: 57,
    what: 'a line break before it',
    options: { secret: `\n${SECRET}` },
    code: 'secret_invalid',
    advice: /white space/u,
  },
  {
    row: 58,
    what: "a file's last line break",
    options: { secret: `${SECRET}\n` },
    code: 'secret_invalid',
    advice: /line break/u,
  },
  {
    row: 58,
    what: 'the same in a list',
    options: { secret: [OTHER, `${SECRET}\r\n`] },
    code: 'secret_invalid',
    advice: /line break/u,
  },
  {
    row: 60,
    what: 'a version before the secret',
    options: { secret: 'v1,whsec_dGVzdA==' },
    code: 'secret_invalid',
    advice: /v1,/u,
  },
  {
    row: 61,
    what: 'a prefix and nothing behind it',
    options: { secret: 'whsec_' },
    code: 'secret_invalid',
    advice: /prefix/u,
  },
  { row: 66, what: 'null', options: { secret: null }, code: 'secret_missing' },
  {
    row: 66,
    what: 'an empty text',
    options: { secret: '' },
    code: 'secret_missing',
    advice: /environment variable/u,
  },
  { row: 66, what: 'a number', options: { secret: 42 }, code: 'secret_invalid' },
  { row: 66, what: 'an empty list', options: { secret: [] }, code: 'secret_missing' },
  { row: 66, what: 'a list of an empty text', options: { secret: [''] }, code: 'secret_missing' },
  {
    row: 71,
    what: 'a variable that is not set',
    options: { secret: undefined },
    code: 'secret_missing',
    advice: /environment variable/u,
  },
  {
    row: 71,
    what: 'an empty text before a secret',
    options: { secret: ['', SECRET] },
    code: 'secret_missing',
  },
  {
    row: 81,
    what: 'a tolerance below 0',
    options: { secret: SECRET, toleranceSeconds: -1 },
    code: 'tolerance_invalid',
  },
  {
    row: 81,
    what: 'a tolerance as text',
    options: { secret: SECRET, toleranceSeconds: '300' },
    code: 'tolerance_invalid',
  },
  {
    row: 81,
    what: 'no tolerance by null',
    options: { secret: SECRET, toleranceSeconds: null },
    code: 'tolerance_invalid',
    advice: /'unlimited'/u,
  },
]
