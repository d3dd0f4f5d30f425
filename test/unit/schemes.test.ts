import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Scheme } from '../../src/core/scheme.ts'
import {
  github,
  meta,
  reject,
  standardWebhooks,
  stripe,
  subscribableMeta,
} from '../../src/schemes/index.ts'
import { createSyncSigner, verifySync } from '../../src/verify-sync.ts'
import { NOW } from '../fixtures.ts'

const now = () => NOW
const judge = (
  scheme: Scheme<unknown>,
  secret: string,
  headers: Record<string, string>,
  body: string,
) =>
  verifySync(
    { headers, body },
    scheme.toleranceSeconds === undefined ? { secret, scheme } : { secret, scheme, now },
  )

function sha256(format: 'hex' | 'base64', key: string | Uint8Array, content: string): string {
  return createHmac('sha256', key).update(content).digest(format)
}

describe('stripe', () => {
  const secret = 'whsec_test_only_stripe'
  const deliver = (event: unknown, header?: string) => {
    const body = JSON.stringify(event)
    const right = `t=${NOW},v1=${sha256('hex', secret, `${NOW}.${body}`)},v0=${'0'.repeat(64)}`
    return judge(stripe, secret, { 'Stripe-Signature': header ?? right }, body)
  }

  test('a snapshot event names the object it carries', () => {
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'charge.succeeded',
      created: NOW - 5,
      data: { object: { id: 'ch_1', object: 'charge' } },
    }
    expect(deliver(event)).toMatchObject({
      event,
      timestamp: NOW,
      delivery: {
        scheme: 'stripe',
        id: 'evt_1',
        idSigned: true,
        type: 'charge.succeeded',
        occurredAt: NOW - 5,
        resource: { kind: 'charge', id: 'ch_1' },
      },
    })
  })

  test('a thin event names the object it refers to', () => {
    const event = {
      id: 'evt_test_1',
      object: 'v2.core.event',
      type: 'v1.billing.meter.error_report_triggered',
      created: '2024-09-17T06:20:52.246Z',
      related_object: { id: 'mtr_1', type: 'billing.meter', url: '/v1/billing/meters/mtr_1' },
    }
    expect(deliver(event)).toMatchObject({
      delivery: { occurredAt: 1726554052, resource: { kind: 'billing.meter', id: 'mtr_1' } },
    })
  })

  test.each([
    [{ id: 'evt_1', type: 'a' }],
    [{ id: 'evt_1', type: 'a', data: { object: { id: 'x', type: 'card' } } }],
    [{ id: 'evt_1', type: 'a', data: { object: { id: 5, object: 'x' } }, created: -1 }],
    [{ id: 'evt_1', type: 'a', data: { object: null }, created: 'yesterday' }],
    [{ id: 'evt_1', type: 'a', data: [], related_object: null, created: '2024-99-99T00:00:00Z' }],
  ])('what is not said is left out: %j', (event) => {
    const verdict = deliver(event)
    expect(verdict.ok && verdict.delivery).toEqual({
      scheme: 'stripe',
      id: 'evt_1',
      idSigned: true,
      type: 'a',
    })
  })

  test.each([
    [{ type: 'a' }, 'envelope_field_missing'],
    [{ id: 5, type: 'a' }, 'envelope_field_type'],
    [{ id: ' ', type: 'a' }, 'envelope_field_value'],
    [[], 'envelope_not_object'],
  ])('%j is no event', (event, reason) => {
    expect(deliver(event)).toMatchObject({ reason })
  })

  test('a signer makes one v1 for each secret', () => {
    const signer = createSyncSigner({ secret: [secret, 'whsec_other'], scheme: stripe, now })
    const [first, second] = [secret, 'whsec_other'].map((key) => sha256('hex', key, `${NOW}.{}`))
    expect(signer.sign({ body: '{}' })).toEqual({
      'Stripe-Signature': `t=${NOW},v1=${first},v1=${second}`,
    })
  })

  test('v0 alone is no signature, and a replay is old', () => {
    expect(deliver({}, `t=${NOW},v0=${'0'.repeat(64)}`)).toMatchObject({
      reason: 'signature_missing',
    })
    expect(deliver({}, `t=${NOW - 301},v1=${'0'.repeat(64)}`)).toMatchObject({
      reason: 'timestamp_too_old',
    })
  })
})

describe('standardWebhooks', () => {
  // The known answer of the specification's own test suites.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const known = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const body = '{"test": 2432232314}'
  const verdict = (headers: Record<string, string>, key = secret, text = body) =>
    verifySync(
      { headers, body: text },
      { secret: key, scheme: standardWebhooks, now: () => 1614265330 },
    )

  test('the published answer, under both families of header names, with and without the prefix', () => {
    const svix = Object.fromEntries(
      Object.entries(known).map(([name, value]) => [name.replace('webhook-', 'svix-'), value]),
    )
    for (const [headers, key] of [
      [known, secret],
      [svix, secret],
      [known, secret.replace('whsec_', '')],
    ] as const) {
      expect(verdict(headers, key)).toMatchObject({
        ok: true,
        event: { test: 2432232314 },
        timestamp: 1614265330,
        delivery: { scheme: 'standardWebhooks', id: known['webhook-id'], idSigned: true, type: '' },
      })
    }
  })

  test('a signer writes it again', () => {
    const { sign } = createSyncSigner({ secret, scheme: standardWebhooks })
    expect(sign({ body, id: known['webhook-id'], timestamp: 1614265330 })).toEqual(known)
    expect(() => sign({ body })).toThrow(expect.objectContaining({ reason: 'header_missing' }))
  })

  test('any v1 may match; other versions and malformed values are passed over', () => {
    const [, right] = known['webhook-signature'].split(',') as [string, string]
    const other = Buffer.alloc(32).toString('base64')
    for (const [value, signature] of [
      [`v1a,${other} v1,${other} v1,${right}`, 1],
      [`v1,short v1, v1 v1,${right}`, 0],
      [`v1,${right} v2,${right}`, 0],
      [` v1,${right} `, 0],
    ] as const) {
      expect(verdict({ ...known, 'webhook-signature': value })).toMatchObject({
        ok: true,
        matched: { signature },
      })
    }
  })

  test.each([
    ['webhook-signature', undefined, 'header_missing'],
    ['webhook-signature', '', 'header_missing'],
    ['webhook-signature', '  ', 'header_missing'],
    ['webhook-signature', 'x'.repeat(4097), 'header_too_long'],
    ['webhook-signature', 'nonsense', 'signature_missing'],
    ['webhook-signature', 'v1a,AAAA', 'signature_missing'],
    ['webhook-signature', 'v1,', 'signature_missing'],
    ['webhook-signature', 'v1,AAAA', 'signature_malformed'],
    ['webhook-signature', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE', 'signature_malformed'],
    ['webhook-signature', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OF=', 'signature_malformed'],
    ['webhook-signature', 'v1,g0hM9SsE-OTPJTGt_tmIKtSyZlE3uFJELVlNIOLJ1OE=', 'signature_malformed'],
    ['webhook-signature', 'V1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=', 'signature_missing'],
    ['webhook-signature', 'v1,AAAA '.repeat(17), 'signatures_too_many'],
    ['webhook-id', undefined, 'header_missing'],
    ['webhook-id', 'a b', 'header_malformed'],
    ['webhook-id', 'x'.repeat(257), 'header_malformed'],
    ['webhook-id', 'msg_other', 'signature_mismatch'],
    ['webhook-timestamp', undefined, 'timestamp_missing'],
    ['webhook-timestamp', '01614265330', 'timestamp_malformed'],
    ['webhook-timestamp', '1614265330.0', 'timestamp_malformed'],
    ['webhook-timestamp', '1614265331', 'signature_mismatch'],
    ['webhook-timestamp', '1614265029', 'timestamp_too_old'],
    ['webhook-timestamp', '1614265631', 'timestamp_too_new'],
  ])('%s: %s is %s', (name, value, reason) => {
    const headers: Record<string, string> = { ...known }
    if (value === undefined) delete headers[name]
    else headers[name] = value
    expect(verdict(headers)).toMatchObject({ reason })
  })

  test.each(['not base64', 'whsec_====', 'whsec_abc', Buffer.from([0xff, 0xfe])])(
    '%s is no secret',
    (wrong) => {
      expect(() => verdict(known, wrong as string)).toThrow(
        expect.objectContaining({ code: 'secret_invalid' }),
      )
    },
  )

  test('type and time come from the payload, where it has them', () => {
    const key = Buffer.from(secret.slice(6), 'base64')
    const deliver = (payload: unknown) => {
      const text = JSON.stringify(payload)
      const mac = sha256('base64', key, `msg_1.1614265330.${text}`)
      return verdict(
        {
          'webhook-id': 'msg_1',
          'webhook-timestamp': '1614265330',
          'webhook-signature': `v1,${mac}`,
        },
        secret,
        text,
      )
    }
    expect(
      deliver({ type: 'user.created', timestamp: '2021-02-25T15:02:10Z', data: {} }),
    ).toMatchObject({
      delivery: { type: 'user.created', occurredAt: 1614265330 },
    })
    expect(deliver({ type: 5, timestamp: 'today' })).toMatchObject({ delivery: { type: '' } })
    expect(deliver([])).toMatchObject({ reason: 'envelope_not_object' })
  })
})

describe('github', () => {
  // The values of GitHub's own documentation.
  const secret = "It's a Secret to Everybody"
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'

  test('the documented signature fits; that its body is no JSON is another matter', () => {
    expect(
      judge(github, secret, { 'X-Hub-Signature-256': signature }, 'Hello, World!'),
    ).toMatchObject({
      reason: 'body_not_json',
    })
    expect(createSyncSigner({ secret, scheme: github }).sign({ body: 'Hello, World!' })).toEqual({
      'X-Hub-Signature-256': signature,
    })
  })

  const body = '{"action":"opened"}'
  const right = { 'x-hub-signature-256': `sha256=${sha256('hex', secret, body)}` }

  test('event and delivery come from unsigned headers, and the verdict says so', () => {
    const headers = { ...right, 'X-GitHub-Event': 'issues', 'X-GitHub-Delivery': '72d3162e' }
    const verdict = judge(github, secret, headers, body)
    expect(verdict.ok && verdict.delivery).toEqual({
      scheme: 'github',
      id: '72d3162e',
      idSigned: false,
      type: 'issues',
    })
    expect(verdict).not.toHaveProperty('timestamp')
    const bare = judge(github, secret, right, body)
    expect(bare.ok && bare.delivery).toEqual({ scheme: 'github', idSigned: false, type: '' })
  })

  test('a signer names the delivery and makes one signature', () => {
    expect(createSyncSigner({ secret, scheme: github }).sign({ body, id: 'a' })).toMatchObject({
      'X-GitHub-Delivery': 'a',
    })
    expect(() =>
      createSyncSigner({ secret: [secret, 'b'], scheme: github }).sign({ body }),
    ).toThrow(expect.objectContaining({ code: 'secret_invalid' }))
  })

  test.each([
    [undefined, 'header_missing'],
    ['', 'header_missing'],
    [' ', 'header_missing'],
    ['sha1=7d38cdd689735b008b3c702edd92eea23791c5f6', 'header_malformed'],
    [sha256('hex', secret, body), 'header_malformed'],
    ['sha256=', 'signature_malformed'],
    [right['x-hub-signature-256'].toUpperCase().replace('SHA', 'sha'), 'signature_malformed'],
    [`${right['x-hub-signature-256']}0`, 'signature_malformed'],
    [`${right['x-hub-signature-256']}\n`, 'signature_malformed'],
    [`${right['x-hub-signature-256']}, ${right['x-hub-signature-256']}`, 'signature_malformed'],
    [`sha256=${'0'.repeat(64)}`, 'signature_mismatch'],
  ])('%s is %s', (value, reason) => {
    const headers: Record<string, string> =
      value === undefined ? {} : { 'x-hub-signature-256': value }
    expect(judge(github, secret, headers, body)).toMatchObject({ reason })
  })

  test('a payload that is no object is no event', () => {
    const headers = { 'x-hub-signature-256': `sha256=${sha256('hex', secret, '[]')}` }
    expect(judge(github, secret, headers, '[]')).toMatchObject({ reason: 'envelope_not_object' })
  })
})

describe('meta', () => {
  const secret = 'test_only_app_secret'
  const deliver = (event: unknown) => {
    const body = JSON.stringify(event)
    return judge(
      meta,
      secret,
      { 'X-Hub-Signature-256': `sha256=${sha256('hex', secret, body)}` },
      body,
    )
  }

  test('a WhatsApp delivery lists the ids of its messages', () => {
    const event = {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '1',
          changes: [
            { field: 'messages', value: { messages: [{ id: 'wamid.A' }, { id: 'wamid.B' }] } },
          ],
        },
        {
          id: '2',
          changes: [{ field: 'messages', value: { statuses: [{ id: 'wamid.C' }] } }, { value: 5 }],
        },
      ],
    }
    const verdict = deliver(event)
    expect(verdict).toMatchObject({ event })
    expect(verdict.ok && verdict.delivery).toEqual({
      scheme: 'meta',
      idSigned: true,
      type: 'whatsapp_business_account',
      items: ['wamid.A', 'wamid.B'],
    })
  })

  test('a Messenger delivery does', () => {
    const messaging = [
      { message: { mid: 'mid.1' } },
      { read: { watermark: 1 } },
      { message: { mid: 5 } },
      { postback: { mid: 'mid.2' } },
      { message: { mid: 'mid.0', is_deleted: true } },
    ]
    expect(deliver({ object: 'page', entry: [{ messaging }, null, 5] })).toMatchObject({
      delivery: { type: 'page', items: ['mid.1', 'mid.2'] },
    })
  })

  test.each([
    [{ object: 'page' }, 'envelope_field_missing'],
    [{ object: 'page', entry: {} }, 'envelope_field_type'],
    [{ object: '', entry: [] }, 'envelope_field_value'],
    [null, 'envelope_not_object'],
  ])('%j is no event', (event, reason) => {
    expect(deliver(event)).toMatchObject({ reason })
  })

  test('a signer writes the header', () => {
    expect(createSyncSigner({ secret, scheme: meta }).sign({ body: '{}' })).toEqual({
      'X-Hub-Signature-256': `sha256=${sha256('hex', secret, '{}')}`,
    })
  })

  describe('the subscription', () => {
    // The sample request of Meta's documentation.
    const query = 'hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meatyhamhock'
    const answer = (method: string, url: string) =>
      subscribableMeta('meatyhamhock').handshake?.({ method, url })

    test.each([
      `https://www.example.com/webhooks?${query}`,
      `/webhooks?${query}`,
      '/?hub.verify_token=meatyhamhock&hub.challenge=1158201444&hub.mode=subscribe',
    ])('%s is answered with its challenge', (url) => {
      expect(answer('GET', url)).toEqual({ status: 200, body: '1158201444' })
    })

    test.each([
      ['another token', query.replace('hock', 'hook')],
      ['a longer token', `${query}x`],
      ['no token', 'hub.mode=subscribe&hub.challenge=1158201444'],
      ['no challenge', 'hub.mode=subscribe&hub.verify_token=meatyhamhock'],
      ['a challenge that is markup', query.replace('1158201444', '%3Cscript%3E')],
    ])('%s is refused, and nothing is echoed', (_, wrong) => {
      expect(answer('GET', `/?${wrong}`)).toEqual({ status: 403, body: '' })
    })

    test('anything else is left to the adapter', () => {
      expect(answer('POST', `/?${query}`)).toBeUndefined()
      expect(answer('GET', '/')).toBeUndefined()
      expect(answer('GET', '')).toBeUndefined()
      expect(answer('GET', '/?hub.mode=unsubscribe')).toBeUndefined()
      expect(meta.handshake).toBeUndefined()
    })

    test.each([
      ['', 'secret_missing'],
      ['meatyhamhock\n', 'secret_invalid'],
    ])('the verify token %j is a mistake', (token, code) => {
      expect(() => subscribableMeta(token)).toThrow(expect.objectContaining({ code }))
    })
  })
})

test('reject gives one’s own scheme the refusal of a reason', () => {
  expect(reject('header', 'header_malformed', 'expected x')).toEqual({
    ok: false,
    reason: 'header_malformed',
    stage: 'header',
    status: 400,
    detail: 'expected x',
  })
})
