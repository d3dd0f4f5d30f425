import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSyncSigner, verifySync } from '../../dist/sync.js'
import { has } from '../requirements.ts'
import { type Outcome, judge as outcomeOf, type Profile, ROWS } from './harness.ts'

const ACCEPTOR = fileURLToPath(new URL('../../vectors/acceptor.py', import.meta.url))
const SECRET = 'test_only_secret_a'
const NOW = 1700000000
/** Of the one scheme that decodes its secrets. */
const BASE64_SECRET = `whsec_${Buffer.from('test_only_standard_key_a').toString('base64')}`
/** More of them: HOOKPROOF_SEED=7 HOOKPROOF_RUNS=30000 npx vitest run test/vectors/acceptor.test.ts */
const RUNS = Number(process.env.HOOKPROOF_RUNS ?? 6000)

describe.runIf(has('python3'))(
  'the second verifier, in Python, written from the specification alone',
  () => {
    test('agrees with every published case', () => {
      const { status, stdout } = spawnSync('python3', [ACCEPTOR, 'check'], { encoding: 'utf8' })
      expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\d{3,} passed, 0 failed$/u)
      expect(status).toBe(0)
    })

    test('gives the same verdict and reason as this package for thousands of random deliveries', async () => {
      const inputs = fc.sample(delivery, { numRuns: RUNS })
      const answers = await judge(inputs.map((input) => published(input)))
      const tally = new Map<string, number>()
      for (const [index, input] of inputs.entries()) {
        const ours = await outcomeOf(() =>
          verifySync(
            {
              headers: input.headers.map(
                ([name, value]) => [name, value.toString('latin1')] as const,
              ),
              body: input.body,
            },
            {
              secret: [SECRET],
              now: () => Number(input.now),
              toleranceSeconds: input.tolerance ?? undefined,
            },
          ),
        )
        expect(answers[index], JSON.stringify(published(input))).toEqual(ours)
        const outcome = ours.reason ?? ours.result
        tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
      }
      // Inputs that all end at the first check would prove nothing.
      for (const outcome of [
        'valid',
        'signature_mismatch',
        'envelope_field_type',
        'body_not_json',
      ]) {
        expect(tally.get(outcome), outcome).toBeGreaterThan(RUNS / 100)
      }
      expect(tally.size).toBeGreaterThan(15)
    })

    test.each(['stripe', 'standard-webhooks', 'github', 'meta'] as const)(
      'agrees on thousands of random %s deliveries as well',
      async (profile) => {
        const secret = profile === 'standard-webhooks' ? BASE64_SECRET : SECRET
        const inputs = fc.sample(otherDelivery(profile, secret), { numRuns: RUNS / 3 })
        const answers = await judge(
          inputs.map((input) => published(input, secret)),
          profile,
        )
        const tally = new Set<string>()
        for (const [index, input] of inputs.entries()) {
          const headers = input.headers.map(
            ([name, value]) => [name, value.toString('latin1')] as const,
          )
          const options = { secret, now: () => Number(input.now), ...ROWS[profile].options }
          const ours = await outcomeOf(
            () => verifySync({ headers, body: input.body }, options),
            profile,
          )
          expect(answers[index], JSON.stringify(published(input, secret))).toEqual(ours)
          tally.add(ours.reason ?? ours.result)
        }
        expect(tally).toContain('valid')
        expect(tally).toContain('signature_mismatch')
        expect(tally.size).toBeGreaterThan(5)
      },
    )
  },
)

interface Input {
  readonly headers: readonly (readonly [string, Buffer])[]
  readonly body: Buffer
  readonly now: string
  readonly tolerance: number | null
}

function published({ headers, body, now, tolerance }: Input, secret = SECRET): object {
  const bytes = (data: Buffer) => ({ hex: data.toString('hex') })
  return {
    headers: headers.map(([name, value]) => [name, bytes(value)]),
    body: bytes(body),
    secrets: [{ utf8: secret }],
    now,
    tolerance,
  }
}

async function judge(inputs: readonly object[], profile: Profile = 'paymos'): Promise<Outcome[]> {
  const python = spawn('python3', [ACCEPTOR, 'judge'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers: Outcome[] = []
  const lines = createInterface({ input: python.stdout })
  lines.on('line', (line) => answers.push(JSON.parse(line)))
  for (const input of inputs) {
    python.stdin.write(`${JSON.stringify({ op: 'verify', profile, input })}\n`)
  }
  python.stdin.end()
  await once(lines, 'close')
  return answers
}

// What is generated: a delivery that is right, with at most a few things about it made odd.

const text = (options: fc.StringConstraints) => fc.string({ unit: 'binary', ...options })
const oddNumber = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom(
    '1',
    '0',
    '-0',
    '-1',
    '1.5',
    '1.0',
    '1e0',
    '1e400',
    '9007199254740991',
    '9007199254740992',
    'true',
    'null',
    '"1"',
    '[]',
    '{}',
  ),
)
const oddText = fc.oneof(
  fc.constantFrom(
    '""',
    '" "',
    '"\\u00a0"',
    '"\\u3000"',
    '"\\u0000"',
    '"\\ud800"',
    '5',
    'null',
    'true',
    '[]',
    '{}',
    '"invoice.paid"',
    '"withdrawal.x"',
    '"invoice."',
  ),
  text({ maxLength: 12 }).map((value) => JSON.stringify(value)),
)
const usually = <T>(value: T, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: odd })
const dataText = fc.oneof(
  fc.constantFrom(
    '{"invoice_id":"inv_1"}',
    '{"invoice_id":""}',
    '{"withdrawal_id":"wdr_1","invoice_id":5}',
    '{"invoice_id":" \\u00a0"}',
    '{}',
    '[]',
    'null',
    '"x"',
    '{"a":[[[[1]]]]}',
    '{"__proto__":1,"__proto__":2}',
  ),
  fc
    .dictionary(text({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .map((data) => JSON.stringify(data)),
)
const fields = fc
  .tuple(
    usually('"evt_1"', oddText),
    usually('"invoice.paid"', oddText),
    usually('1', oddNumber),
    usually('1699999990', oddNumber),
    usually('{"invoice_id":"inv_1"}', dataText),
  )
  .map(([id, type, version, occurred, data]) => [
    ['event_id', id],
    ['event_type', type],
    ['version', version],
    ['occurred_at', occurred],
    ['data', data],
  ])
const object = fc
  .tuple(
    fields,
    usually(-1, fc.nat({ max: 4 })),
    usually(-1, fc.nat({ max: 4 })),
    fc.constantFrom('', ' ', '\n', '\t\r'),
  )
  .map(([members, absent, twice, blank]) => {
    const kept = members.filter((_, index) => index !== absent)
    const repeated = members.filter((_, index) => index === twice)
    const written = [...kept, ...repeated].map(
      ([name, value]) => `"${name}"${blank}:${blank}${value}`,
    )
    return `${blank}{${written.join(`,${blank}`)}}${blank}`
  })
const body: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 8, arbitrary: object.map((json) => Buffer.from(json)) },
  { weight: 1, arbitrary: fc.json().map((json) => Buffer.from(json)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        object,
        fc.nat(),
        fc.constantFrom('', '\ufeff', ',', '}', '//', '\0', "'", 'NaN', '\\', '\u2028'),
      )
      .map(([json, at, insert]) => {
        const position = at % (json.length + 1)
        return Buffer.from(json.slice(0, position) + insert + json.slice(position + (at % 2)))
      }),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc.tuple(object, fc.nat(), fc.nat({ max: 255 })).map(([json, at, byte]) => {
      const bytes = Buffer.from(json)
      bytes[at % bytes.length] = byte
      return bytes
    }),
  },
)
const time = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: NOW - 310, max: NOW + 310 }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '0',
      '00',
      '01',
      '-1',
      '+1',
      '1.5',
      '1e9',
      '999999999999',
      '1000000000000',
      ' 1',
      '１',
      'NaN',
    ),
  },
)
const HEX = [...'0123456789abcdefABCDEF']
const signatureElement = (right: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(`v1=${right}`) },
    { weight: 1, arbitrary: fc.constant(`v1=${right.toUpperCase()}`) },
    {
      weight: 2,
      arbitrary: fc
        .string({ minLength: 63, maxLength: 65, unit: fc.constantFrom(...HEX) })
        .map((hex) => `v1=${hex}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'v1',
        'v1=',
        'v1 =',
        'V1=x',
        'v0=x',
        'v10=x',
        `v1= ${right}`,
        `v1=${right}z`,
        `v1=${right.slice(1)}`,
      ),
    },
  )
const other = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    't',
    'x',
    'x=1',
    '=',
    't =1',
    'T=1',
    't=1',
    '\u00a0',
    '__proto__=1',
    'tt=1',
  ),
  fc
    .string({
      maxLength: 6,
      unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    })
    .map((junk) => junk.replaceAll(',', '')),
)
const blank = fc.constantFrom('', '', '', ' ', '\t', ' \t ')

const delivery: fc.Arbitrary<Input> = fc
  .tuple(body, time, usually(SECRET, fc.constant('another secret')))
  .chain(([bytes, t, key]) => {
    const right = createHmac('sha256', key).update(`${t}.`).update(bytes).digest('hex')
    const element = fc.oneof(
      { weight: 5, arbitrary: signatureElement(right) },
      { weight: 1, arbitrary: other },
    )
    const value = fc
      .tuple(
        fc.array(element, { minLength: 0, maxLength: 3 }),
        usually(1, fc.constantFrom(0, 2)),
        fc.nat(),
        blank,
        blank,
      )
      .map(([elements, times, at, before, after]) => {
        const all = [`v1=${right}`, ...elements].slice(at % 7 === 0 ? 1 : 0)
        for (let i = 0; i < times; i++) all.splice(at % (all.length + 1), 0, `t=${t}`)
        return Buffer.from(all.map((item) => before + item + after).join(','), 'latin1')
      })
    const many = fc
      .integer({ min: 14, max: 18 })
      .map((count) => Buffer.from(`t=${t}${`,v1=${right}`.repeat(count)}`))
    const long = fc
      .integer({ min: 4090, max: 4100 })
      .map((length) => Buffer.from(`t=${t},v1=${right},`.padEnd(length, 'x')))
    const signature = fc.oneof(
      { weight: 30, arbitrary: value },
      { weight: 1, arbitrary: many },
      { weight: 1, arbitrary: long },
    )
    const id = fc.oneof(
      { weight: 3, arbitrary: fc.constant([] as const) },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom('evt_1', ' evt_1\t', 'evt_2', '', 'evt_1, evt_1')
          .map((text) => [['X-Webhook-Id', Buffer.from(text)] as const]),
      },
    )
    return fc
      .tuple(
        signature,
        usually([] as readonly Buffer[], fc.tuple(value)),
        fc.constantFrom('X-Webhook-Signature', 'x-webhook-signature', 'X-WEBHOOK-SIGNATURE'),
        id,
        fc.constantFrom(String(NOW), `${NOW}.9`),
        fc.constantFrom(null, null, 300, 0, 600),
        usually(true, fc.constant(false)),
      )
      .map(([first, more, name, idLines, now, tolerance, present]) => ({
        headers: [
          ...(present ? [first, ...more].map((line) => [name, line] as const) : []),
          ...idLines,
        ],
        body: bytes,
        now,
        tolerance,
      }))
  })

// The other schemes: members of odd values, rightly signed, and then a header with one edit.

const MEMBERS: Record<Exclude<Profile, 'paymos'>, readonly string[]> = {
  stripe: ['id', 'type', 'created', 'data', 'related_object'],
  'standard-webhooks': ['type', 'timestamp', 'id'],
  github: ['action', 'sender'],
  meta: ['object', 'entry'],
}
const memberText = fc.constantFrom(
  ...['"evt_1"', '"invoice.paid"', '"page"', '" "', '"\\u00a0"', '""', '5', '-1', '0', '-0', '1.5'],
  ...['1e400', '9007199254740992', '1700000000', '1.7e9', 'null', 'true', '[]', '{}', '[[]]'],
  ...['"2024-09-17T06:20:52.246Z"', '"2024-09-17T08:20:52+02:00"', '"2024-09-17T06:20:52"'],
  ...['"2024-09-17T06:20Z"', '"2024-09-17"', '"1969-12-31T23:59:59Z"', '"today"'],
  ...['{"object":{"id":"ch_1","object":"charge"}}', '{"object":{"id":5,"object":"charge"}}'],
  ...['{"object":null}', '{"id":"mtr_1","type":"meter"}', '{"id":"","type":"meter"}'],
  '[{"messaging":[{"message":{"mid":"m_1"}},{"message":5},7]}]',
  '[{"changes":[{"value":{"messages":[{"id":"wamid.A"},{"id":" "},null]}},{"value":[]}]},null]',
)
const headerEdit: fc.Arbitrary<(text: string) => string> = fc
  .tuple(
    fc.nat(),
    fc.nat({ max: 2 }),
    fc.constantFrom(
      '',
      '',
      ' ',
      ',',
      '=',
      '0',
      'A',
      'v1,',
      'v1=',
      ' v1,AAAA',
      '\t',
      '\u00a0',
      '\n',
      '.',
    ),
  )
  .map(([at, cut, added]) => (text) => {
    const from = at % (text.length + 1)
    return text.slice(0, from) + added + text.slice(from + cut)
  })

function otherDelivery(profile: Exclude<Profile, 'paymos'>, secret: string): fc.Arbitrary<Input> {
  const signer = createSyncSigner({ secret, ...ROWS[profile].options })
  const members = MEMBERS[profile].map((name) =>
    fc.tuple(fc.constant(name), memberText, usually(true, fc.constant(false))),
  )
  const json = fc
    .tuple(...members)
    .map((all) => all.flatMap(([name, value, present]) => (present ? [`"${name}":${value}`] : [])))
    .map((written) => `{${written.join(',')}}`)
  const content = fc.oneof(
    { weight: 9, arbitrary: json },
    { weight: 1, arbitrary: fc.constantFrom('', '[]', 'null', '{', '5', '{}{}', '\ufeff{}') },
  )
  return fc
    .tuple(
      content,
      fc.integer({ min: NOW - 310, max: NOW + 310 }),
      fc.option(fc.tuple(fc.nat(), headerEdit), { freq: 2 }),
      usually('', fc.constantFrom(' ', '\n')),
      fc.nat({ max: 20 }),
    )
    .map(([text, timestamp, edit, added, twist]) => {
      const lines = Object.entries(signer.sign({ body: text, id: 'msg_1', timestamp }))
      if (profile === 'github') lines.push(['X-GitHub-Event', 'push'])
      if (edit !== null) {
        const [which, change] = edit
        const line = lines[which % lines.length] as [string, string]
        line[1] = change(line[1])
      }
      if (twist === 0) lines.splice(0, 1)
      if (twist === 1) lines.push(lines[0] as [string, string])
      return {
        headers: lines.map(([name, value]) => [name, Buffer.from(value, 'latin1')] as const),
        body: Buffer.from(text + added),
        now: String(NOW),
        tolerance: null,
      }
    })
}
