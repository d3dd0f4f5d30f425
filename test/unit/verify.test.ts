import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { WebhookConfigError, WebhookVerificationError } from '../../src/core/errors.ts'
import { REASONS } from '../../src/core/reasons.ts'
import type { Scheme } from '../../src/core/scheme.ts'
import { paymos } from '../../src/schemes/paymos.ts'
import { createVerifier, verify, verifyOrThrow } from '../../src/verify.ts'
import { constructEvent, createSyncVerifier, verifySync } from '../../src/verify-sync.ts'
import { BODY, delivery, EVENT, NOW, OFFICIAL, options, SECRET } from '../fixtures.ts'

const request = delivery(BODY)
const forged = delivery(BODY, 'test_only_other')

describe('the provider’s official delivery', () => {
  const official = { headers: { 'X-Webhook-Signature': OFFICIAL.header }, body: OFFICIAL.body }
  const as = { secret: OFFICIAL.secret, now: () => OFFICIAL.now }
  const verdict = {
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
    body: new TextEncoder().encode(OFFICIAL.body),
    warnings: [],
  }

  test('is accepted, whole', async () => {
    expect(await verify(official, as)).toStrictEqual(verdict)
    expect(verifySync(official, as)).toStrictEqual(verdict)
    expect(await createVerifier(as).verify(official)).toStrictEqual(verdict)
    expect(createSyncVerifier(as).verify(official)).toStrictEqual(verdict)
  })

  test('is returned by the verbs that throw', async () => {
    expect(await verifyOrThrow(official, as)).toStrictEqual(verdict)
    expect(await createVerifier(as).verifyOrThrow(official)).toStrictEqual(verdict)
    expect(constructEvent(official, as)).toStrictEqual(verdict.event)
    expect(createSyncVerifier(as).constructEvent(official)).toStrictEqual(verdict.event)
  })

  test('is refused with a second timestamp, and with another body', () => {
    const twice = {
      headers: { 'X-Webhook-Signature': `${OFFICIAL.header},t=1700000000` },
      body: OFFICIAL.body,
    }
    expect(verifySync(twice, as)).toMatchObject({ reason: 'timestamp_duplicate' })
    expect(verifySync({ ...official, body: '{}' }, as)).toMatchObject({
      reason: 'signature_mismatch',
    })
  })
})

describe('a refusal', () => {
  test('is a value, with the reason for a log and without an event', async () => {
    const refusal = {
      ok: false,
      reason: 'signature_mismatch',
      stage: 'signature',
      status: 401,
      detail: expect.stringContaining('expected'),
    }
    expect(await verify(forged, options)).toStrictEqual(refusal)
    expect(verifySync(forged, options)).toStrictEqual(refusal)
  })

  test('of a signature says how many bytes there were, and whether they may be lost or packed', async () => {
    const packed = { ...request.headers, 'content-encoding': 'gzip' }
    const detail = async (headers: Record<string, string>, body: string) => {
      const verdict = verifySync({ headers, body }, options)
      expect(await verify({ headers, body }, options)).toEqual(verdict)
      return verdict.detail
    }
    expect(await detail(request.headers, 'é')).toMatch(/fits these 2 bytes .* as received$/u)
    expect(await detail(request.headers, '')).toMatch(/these 0 bytes .*; was it read before\?$/u)
    expect(await detail(packed, 'é')).toMatch(/; note its Content-Encoding$/u)
  })

  test('is thrown with the same facts by the verbs that throw', async () => {
    const error = expect.objectContaining({
      name: 'WebhookVerificationError',
      reason: 'signature_mismatch',
      stage: 'signature',
      status: 401,
      message: expect.stringMatching(/^signature_mismatch: /u),
    })
    await expect(verifyOrThrow(forged, options)).rejects.toThrow(error)
    await expect(createVerifier(options).verifyOrThrow(forged)).rejects.toThrow(error)
    expect(() => constructEvent(forged, options)).toThrow(error)
    expect(() => createSyncVerifier(options).constructEvent(forged)).toThrow(error)
  })

  test.each([
    ['a number', 42],
    ['nothing', undefined],
    ['null', null],
    ['text', BODY],
  ])('is not what %s in place of a request gives: that is a mistake', async (_, wrong) => {
    await expect(verify(wrong as never, options)).rejects.toMatchObject({ code: 'headers_invalid' })
    expect(() => verifySync(wrong as never, options)).toThrow(/\{ headers, body \}/u)
  })
})

describe('a schema', () => {
  const zod = z.object({ event_id: z.string(), data: z.object({ invoice_id: z.string() }) })
  const valibot = v.object({ event_id: v.string(), data: v.object({ invoice_id: v.string() }) })
  const output = { event_id: 'evt_1', data: { invoice_id: 'inv_1' } }
  const strict = delivery(JSON.stringify({ ...EVENT, data: { invoice_id: 5, secret_name: 'x' } }))

  test('gives its output as the event, and leaves the delivery alone', async () => {
    for (const schema of [zod, valibot]) {
      const expected = { ok: true, event: output, delivery: { type: 'invoice.paid' } }
      const verdict = await verify(request, { ...options, schema })
      expect(verdict).toMatchObject(expected)
      expect(verdict.ok && verdict.event).toStrictEqual(output)
      expect(verifySync(request, { ...options, schema })).toMatchObject(expected)
      expect(constructEvent(request, { ...options, schema })).toStrictEqual(output)
    }
  })

  test('refuses without quoting the body', async () => {
    for (const schema of [zod, valibot]) {
      const refusal = { ok: false, reason: 'schema_invalid', stage: 'schema', status: 422 }
      const verdict = await verify(strict, { ...options, schema })
      expect(verdict).toMatchObject(refusal)
      expect(inspect(verdict)).not.toContain('secret_name')
      expect(verifySync(strict, { ...options, schema })).toMatchObject(refusal)
    }
  })

  test('may be asynchronous, but not on the sync face', async () => {
    const asynchronous = [
      zod.refine(async ({ event_id }) => event_id === 'evt_1'),
      v.pipeAsync(
        valibot,
        v.checkAsync(async ({ event_id }) => event_id === 'evt_1'),
      ),
    ]
    for (const schema of asynchronous) {
      expect(await verify(request, { ...options, schema })).toMatchObject({
        ok: true,
        event: output,
      })
    }
    const schema = asynchronous[1] as (typeof asynchronous)[1]
    expect(() => verifySync(request, { ...options, schema: schema as never })).toThrow(
      expect.objectContaining({ code: 'schema_async' }),
    )
  })

  test('that fails later on the sync face fails nothing else', async () => {
    const rejections: unknown[] = []
    const listen = (reason: unknown) => rejections.push(reason)
    process.on('unhandledRejection', listen)
    const late = v.pipeAsync(
      valibot,
      v.checkAsync(() => Promise.reject(new Error('database down'))),
    )
    expect(() => verifySync(request, { ...options, schema: late as never })).toThrow(
      expect.objectContaining({ code: 'schema_async' }),
    )
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', listen)
    expect(rejections).toEqual([])
  })

  test('is not asked before the signature matched', async () => {
    let asked = 0
    const schema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value: unknown) => ({ value, asked: asked++ }),
      },
    } as const
    await verify(forged, { ...options, schema })
    verifySync(forged, { ...options, schema })
    expect(asked).toBe(0)
  })

  test('that throws is passed through, and one that answers with neither is a mistake', async () => {
    const answering = (validate: () => unknown) => ({
      ...options,
      schema: { '~standard': { version: 1, vendor: 'test', validate } } as never,
    })
    const failing = answering(() => {
      throw new RangeError('mine')
    })
    await expect(verify(request, failing)).rejects.toThrow(new RangeError('mine'))
    expect(() => verifySync(request, failing)).toThrow(new RangeError('mine'))
    for (const answer of [undefined, null, {}, true]) {
      const wrong = answering(() => answer)
      await expect(verify(request, wrong)).rejects.toMatchObject({ code: 'schema_malformed' })
      expect(() => verifySync(request, wrong)).toThrow(
        expect.objectContaining({ code: 'schema_malformed' }),
      )
    }
  })

  test('may be a function with the standard interface', async () => {
    const schema = Object.assign(() => {}, { '~standard': zod['~standard'] })
    expect(await verify(request, { ...options, schema })).toMatchObject({ event: output })
  })
})

describe('a scheme of one’s own', () => {
  const scheme: Scheme<{ readonly raw: unknown }> = {
    name: 'own',
    decodeKey: (secret) => secret,
    parse: (header) => ({
      head: new Uint8Array(0),
      signatures: [Buffer.from(header('x-own') ?? '', 'hex')],
    }),
    decode: (raw) => ({
      event: { raw },
      delivery: { scheme: 'own', idSigned: false, type: 'any' },
    }),
    format: (_, [mac]) => ({ 'x-own': Buffer.from(mac as Uint8Array).toString('hex') }),
  }

  test('without a timestamp is not judged for freshness, and says so', () => {
    // RFC 4231, test case 2
    const headers = { 'X-Own': '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843' }
    const verdict = verifySync(
      { headers, body: 'what do ya want for nothing?' },
      { secret: 'Jefe', scheme },
    )
    expect(verdict).toMatchObject({ reason: 'body_not_json' })
    const body = new TextEncoder().encode('1')
    const right = { 'x-own': createHmac('sha256', 'Jefe').update(body).digest('hex') }
    expect(verifySync({ headers: right, body }, { secret: 'Jefe', scheme })).toStrictEqual({
      ok: true,
      event: { raw: 1 },
      delivery: { scheme: 'own', idSigned: false, type: 'any' },
      matched: { secret: 0, signature: 0 },
      body,
      warnings: [],
    })
  })

  test('that promises a timestamp and gives none is a mistake, not an acceptance', () => {
    for (const timestamp of [undefined, Number.NaN, '1700000000']) {
      const broken = {
        ...paymos,
        parse: () => ({ head: new Uint8Array(0), signatures: [], timestamp: timestamp as number }),
      }
      expect(() => verifySync(request, { ...options, scheme: broken })).toThrow(
        expect.objectContaining({ code: 'scheme_invalid' }),
      )
    }
  })
})

describe('the errors', () => {
  test('are told apart by name, across copies of the package and realms', () => {
    const refusal = new WebhookVerificationError('signature_mismatch', 'signature', 401, 'detail')
    const mistake = new WebhookConfigError('secret_missing', 'advice')
    expect(refusal).toBeInstanceOf(Error)
    expect(refusal instanceof WebhookVerificationError).toBe(true)
    expect(refusal instanceof WebhookConfigError).toBe(false)
    expect(mistake instanceof WebhookConfigError).toBe(true)
    expect(mistake instanceof WebhookVerificationError).toBe(false)
    const foreign = runInNewContext('Object.assign(new Error(), { name: "WebhookConfigError" })')
    expect(foreign instanceof WebhookConfigError).toBe(true)
    const lookalike = { name: 'WebhookConfigError' }
    for (const other of [undefined, null, 5, 'WebhookConfigError', new Error('x'), {}, lookalike]) {
      expect((other as object) instanceof WebhookConfigError).toBe(false)
      expect((other as object) instanceof WebhookVerificationError).toBe(false)
    }
  })

  test('a subclass is its own kind', () => {
    class Refusal extends WebhookVerificationError {}
    class Mistake extends WebhookConfigError {}
    expect(new Refusal('signature_mismatch', 'signature', 401, '') instanceof Refusal).toBe(true)
    expect(
      new WebhookVerificationError('signature_mismatch', 'signature', 401, '') instanceof Refusal,
    ).toBe(false)
    expect(new Mistake('secret_missing', '') instanceof Mistake).toBe(true)
    expect(new WebhookConfigError('secret_missing', '') instanceof Mistake).toBe(false)
  })
})

test('the table of reasons cannot be changed', () => {
  expect(Object.isFrozen(REASONS)).toBe(true)
  expect(Object.values(REASONS).every(Object.isFrozen)).toBe(true)
})

test('every reason has a stage, a status and one sentence', () => {
  for (const [reason, { stage, status, meaning }] of Object.entries(REASONS)) {
    expect(reason).toMatch(/^[a-z]+(_[a-z0-9]+)+$/u)
    expect(['header', 'freshness', 'size', 'signature', 'body', 'envelope', 'schema']).toContain(
      stage,
    )
    expect([400, 401, 413, 422]).toContain(status)
    expect(meaning).toMatch(/^[A-Z][^\n]+\.$/u)
  }
})

describe('work that a stranger cannot multiply', () => {
  const bomb = `{"data":${'['.repeat(200_000)}`
  test.each<[string, string, string]>([
    [
      'a header of 1 MiB',
      `t=${NOW},v1=${'0'.repeat(64)},${'x'.repeat(1 << 20)}`,
      'header_too_long',
    ],
    ['1 MiB of commas', ','.repeat(1 << 20), 'header_too_long'],
    ['1 MiB of blanks', ' '.repeat(1 << 20), 'header_missing'],
    [
      '1 MiB of blanks around a comma',
      `${' '.repeat(1 << 19)},${' '.repeat(1 << 19)}`,
      'header_too_long',
    ],
    ['20,000 signatures', `t=${NOW}${`,v1=${'0'.repeat(64)}`.repeat(20_000)}`, 'header_too_long'],
    ['4,096 characters of blanks and commas', ' ,'.repeat(2048), 'timestamp_missing'],
    ['nesting behind a wrong signature', `t=${NOW},v1=${'0'.repeat(64)}`, 'signature_mismatch'],
  ])('%s', async (_, header, reason) => {
    const hostile = { headers: { 'x-webhook-signature': header }, body: bomb }
    expect(verifySync(hostile, options)).toMatchObject({ reason })
    expect(await verify(hostile, options)).toMatchObject({ reason })
  })

  test('an X-Webhook-Id of blanks is compared in one pass', () => {
    const headers = { ...request.headers, 'x-webhook-id': `evt_1${' '.repeat(1 << 20)}x` }
    expect(verifySync({ headers, body: BODY }, options)).toMatchObject({
      ok: true,
      warnings: ['delivery_id_mismatch'],
    })
  })

  test('200,000 brackets behind a right signature end in a verdict', () => {
    const verdict = verifySync(delivery(bomb), options)
    expect(verdict).toMatchObject({ reason: 'body_not_json' })
  })
})

test('functions of a verifier work on their own', async () => {
  const { verify: one, verifyOrThrow: two } = createVerifier({ secret: SECRET, now: () => NOW })
  expect(await one(request)).toMatchObject({ ok: true })
  expect(await two(request)).toMatchObject({ ok: true })
})
