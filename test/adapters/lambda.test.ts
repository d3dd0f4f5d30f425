import { describe, expect, test } from 'vitest'
import { type LambdaRequest, toWebhookRequest, webhook } from '../../dist/adapters/lambda.js'
import { verify } from '../../dist/index.js'
import { subscribableMeta } from '../../dist/schemes/index.js'
import { verifySync } from '../../dist/sync.js'
import { BODY, mac, NOW, options, signed } from '../fixtures.ts'

// What events hold besides a good delivery; the contract runs in test/frameworks.

const rest = {
  httpMethod: 'POST',
  headers: { 'X-Webhook-Signature': signed(BODY) },
  multiValueHeaders: null,
  body: BODY,
  isBase64Encoded: false,
}
const version2 = {
  headers: { 'x-webhook-signature': signed(BODY) },
  requestContext: { http: { method: 'POST' } },
  body: Buffer.from(BODY).toString('base64'),
  isBase64Encoded: true,
}

async function reason(event: LambdaRequest): Promise<string> {
  const verdict = await verify(toWebhookRequest(event), options)
  expect(verifySync(toWebhookRequest(event), options)).toEqual(verdict)
  return verdict.reason ?? 'accepted'
}

function answer(event: LambdaRequest) {
  return webhook(options, () => {})(event, {})
}

describe('the body of an event', () => {
  test('is decoded when the event says that it is base64, and only then', async () => {
    expect(await reason(rest)).toBe('accepted')
    expect(await reason(version2)).toBe('accepted')
    const { isBase64Encoded: _, ...unflagged } = version2
    for (const event of [unflagged, { ...version2, isBase64Encoded: false }]) {
      expect(await reason(event)).toBe('signature_mismatch')
    }
    // Text that could be base64 is signed as the text it is.
    const headers = { 'x-webhook-signature': signed('e30=') }
    expect(await reason({ ...rest, headers, body: 'e30=' })).toBe('body_not_json')
  })

  test('of every byte there is comes through base64', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
    const body = Buffer.from(bytes).toString('base64')
    expect(toWebhookRequest({ ...version2, body }).body).toEqual(bytes)
  })

  test.each(['e30', 'e31=', '*', 'e30=\n', 'e3 0=', 'e30-'])(
    'is not taken for base64 when it is %j',
    async (body) => {
      const event = { ...version2, body }
      await expect(answer(event)).rejects.toMatchObject({ code: 'body_not_raw' })
    },
  )

  test.each([null, undefined, ''])('is empty when it is %j', async (body) => {
    const headers = { 'x-webhook-signature': signed('') }
    expect(await reason({ ...version2, headers, body })).toBe('body_not_json')
  })

  test('that middleware has parsed is refused, with the way out', async () => {
    const event = { ...rest, body: JSON.parse(BODY) }
    await expect(answer(event)).rejects.toThrow(/take the middleware that parses event\.body off/u)
  })

  test.each([
    ['REST', { type: 'REQUEST', httpMethod: 'POST', headers: rest.headers }],
    ['HTTP', { type: 'REQUEST', headers: rest.headers, requestContext: version2.requestContext }],
  ])('does not reach an authorizer of a %s API, who is told', async (_, event) => {
    await expect(answer(event)).rejects.toMatchObject({
      code: 'body_not_raw',
      message: expect.stringContaining('verify in the function behind'),
    })
  })
})

describe('the headers of an event', () => {
  test.each(['x-webhook-signature', 'X-Webhook-Signature', 'X-WEBHOOK-SIGNATURE'])(
    'are found as %s',
    async (name) => {
      expect(await reason({ ...rest, headers: { [name]: signed(BODY) } })).toBe('accepted')
    },
  )

  test('count once, though an event has them in both forms', async () => {
    const { headers } = rest
    const multiValueHeaders = { 'X-Webhook-Signature': [signed(BODY)] }
    expect(await reason({ ...rest, headers, multiValueHeaders })).toBe('accepted')
    expect(await reason({ ...rest, headers: null, multiValueHeaders })).toBe('accepted')
  })

  test('with several lines are joined', async () => {
    const lines = [`t=${NOW}`, `v1=${mac(BODY)}`]
    const multiValueHeaders = { 'X-Webhook-Signature': lines }
    const headers = { 'X-Webhook-Signature': lines[1] }
    expect(await reason({ ...rest, headers, multiValueHeaders })).toBe('accepted')
  })

  test('may be missing', async () => {
    expect(await reason({ ...rest, headers: null })).toBe('header_missing')
  })
})

describe('the query of an event', () => {
  const query = {
    'hub.mode': 'subscribe',
    'hub.challenge': '1158201444',
    'hub.verify_token': 'a&b',
  }
  const lists = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]))
  const encoded = { ...query, 'hub.verify_token': 'a%26b' }
  const encodedLists = { ...lists, 'hub.verify_token': ['a%26b'] }
  const elb = { elb: { targetGroupArn: 'arn' } }
  const receive = webhook({ secret: 'test_only', scheme: subscribableMeta('a&b') }, () => {})

  test.each([
    ['a REST API', { queryStringParameters: query, multiValueQueryStringParameters: lists }],
    ['a load balancer', { queryStringParameters: encoded, requestContext: elb }],
    [
      'a load balancer with multi-value headers',
      { multiValueQueryStringParameters: encodedLists, requestContext: elb },
    ],
    ['version 2', { rawQueryString: new URLSearchParams(query).toString() }],
  ])('reaches the scheme: %s', async (_, event) => {
    const response = await receive({ httpMethod: 'GET', headers: {}, body: '', ...event }, {})
    expect(response).toMatchObject({ statusCode: 200, body: '1158201444' })
  })
})

test('what is no event of HTTP is told, not answered', async () => {
  for (const event of [{}, { Records: [] }, undefined]) {
    await expect(answer(event as LambdaRequest)).rejects.toMatchObject({
      code: 'headers_invalid',
      message: expect.stringContaining('no event of API Gateway'),
    })
  }
})
