import { describe, expect, test } from 'vitest'
import { file, hookproof, json, rawRequest } from './hookproof.ts'

interface Known {
  readonly secret: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly sign: readonly string[]
}

/**
 * Answers that the providers have published, or that OpenSSL gave: printf '1614265330.{}' | openssl
 * dgst -sha256 -hmac …
 */
const KNOWN: Readonly<Record<string, Known>> = {
  'standard-webhooks': {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    sign: ['--id', 'msg_p5jXN8AQM9LWM0D4loKWxJek', '--timestamp', '1614265330'],
  },
  github: {
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: {
      'X-Hub-Signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    sign: [],
  },
}

describe.each(Object.entries(KNOWN))('--scheme %s', (scheme, { secret, body, headers, sign }) => {
  const setting = { env: { HOOKPROOF_SECRET: secret } }

  test('makes the published signature', () => {
    const { status, answer } = json(
      ['sign', '--scheme', scheme, ...sign, file('body', body)],
      setting,
    )
    expect(status).toBe(0)
    expect(answer).toEqual(headers)
  })

  test('takes it, and no other', () => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const judge = (received: string) =>
      json(['verify', '--scheme', scheme], {
        ...setting,
        input: rawRequest([`Content-Length: ${received.length}`, ...lines], received),
      }).answer
    expect(['timestamp_too_old', 'body_not_json']).toContain(judge(body).reason)
    const then = scheme === 'github' ? [] : ['--now', '1614265330']
    const run = hookproof(['verify', '--scheme', scheme, ...then], {
      ...setting,
      input: rawRequest(lines, body),
    })
    expect(run.stdout).toMatch(
      scheme === 'github'
        ? /^refused: body_not_json/u
        : /^accepted: msg_p5jXN8AQM9LWM0D4loKWxJek, signed 0 s/u,
    )
    expect(judge(`${body} `).reason).toMatch(/^(signature_mismatch|timestamp_too_old)$/u)
  })
})

test.each(['paymos', 'stripe', 'standard-webhooks', 'github', 'meta'])(
  '%s: what sign writes, verify takes',
  (scheme) => {
    const env = { HOOKPROOF_SECRET: 'whsec_dGVzdF9vbmx5X3NlY3JldF9vZl9jbGk=' }
    const event = {
      event_id: 'evt_1',
      event_type: 'a.b',
      version: 1,
      occurred_at: 1,
      data: {},
      id: 'evt_1',
      type: 'a.b',
      object: 'page',
      entry: [],
    }
    const body = file('event.json', JSON.stringify(event))
    const signed = hookproof(
      ['sign', '--scheme', scheme, '--id', 'msg_1', '--request', 'http://localhost/hook', body],
      { env },
    )
    const run = hookproof(['verify', '--scheme', scheme], { env, input: signed.stdout })
    expect(run).toMatchObject({ status: 0, stdout: expect.stringMatching(/^accepted: /u) })
  },
)

test.each([
  [['verify', '--scheme', 'nope'], 'scheme_invalid'],
  [['sign', '--scheme', 'toString'], 'scheme_invalid'],
  [['verify', '--scheme', 'github', '--tolerance', '5'], 'tolerance_invalid'],
  [['sign', '--scheme', 'standard-webhooks'], 'arguments_invalid'],
])('%j is a mistake', (args, code) => {
  const { status, answer } = json(args, { env: { HOOKPROOF_SECRET: 'whsec_test' }, input: '{}' })
  expect(status).toBe(2)
  expect(answer.error.code).toBe(code)
})
