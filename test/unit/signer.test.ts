import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { engine as noble } from '../../src/engines/noble.ts'
import { engine as web } from '../../src/engines/web.ts'
import { createSigner } from '../../src/verify.ts'
import { createSyncSigner } from '../../src/verify-sync.ts'
import { BODY, mac, NOW, OFFICIAL, options, SECRET } from '../fixtures.ts'

describe('a signer', () => {
  test('makes the provider’s official signature', async () => {
    const signer = { secret: OFFICIAL.secret, now: () => OFFICIAL.now }
    const expected = {
      'X-Webhook-Signature':
        't=1700000000,v1=8f62822925c2d12af1b822edcc1e9392ce064c20d003cbbc11f131485348005b',
      'X-Webhook-Timestamp': '1700000000',
    }
    expect(await createSigner(signer).sign({ body: OFFICIAL.body })).toStrictEqual(expected)
    expect(createSyncSigner(signer).sign({ body: OFFICIAL.body })).toStrictEqual(expected)
  })

  test('makes one signature for each secret, in their order, and names the event', async () => {
    const secret = ['test_only_secret_B', { id: 'a', secret: Buffer.from(SECRET) }]
    const draft = { body: BODY, id: 'evt_1', timestamp: NOW - 5 }
    const expected = {
      'X-Webhook-Signature': `t=${NOW - 5},v1=${mac(BODY, 'test_only_secret_B', NOW - 5)},v1=${mac(BODY, SECRET, NOW - 5)}`,
      'X-Webhook-Timestamp': String(NOW - 5),
      'X-Webhook-Id': 'evt_1',
    }
    expect(await createSigner({ secret }).sign(draft)).toStrictEqual(expected)
    expect(createSyncSigner({ secret }).sign(draft)).toStrictEqual(expected)
  })

  test('takes any engine', async () => {
    for (const engine of [web, noble]) {
      const headers = await createSigner({ ...options, engine }).sign({ body: BODY })
      expect(headers['X-Webhook-Signature']).toBe(`t=${NOW},v1=${mac(BODY)}`)
    }
  })

  test('signs any bytes, those of the moment it was called', async () => {
    const body = Buffer.from([0xff, 0, 0xfe])
    const expected = createHmac('sha256', SECRET).update(`${NOW}.`).update(body).digest('hex')
    const pending = createSigner({ ...options, engine: web }).sign({ body })
    body.fill(0)
    expect((await pending)['X-Webhook-Signature']).toBe(`t=${NOW},v1=${expected}`)
  })

  test('takes the time now, in whole seconds', () => {
    const now = () => NOW + 0.9
    expect(createSyncSigner({ secret: SECRET, now }).sign({ body: '' })).toMatchObject({
      'X-Webhook-Timestamp': String(NOW),
    })
    const before = Math.floor(Date.now() / 1000)
    const stamped = Number(
      createSyncSigner({ secret: SECRET }).sign({ body: '' })['X-Webhook-Timestamp'],
    )
    expect(stamped).toBeGreaterThanOrEqual(before)
    expect(stamped).toBeLessThanOrEqual(before + 60)
  })

  test.each([-1, 0.5, Number.NaN, 1e12, 1e21])(
    'refuses to sign at %d, as a receiver would',
    async (timestamp) => {
      const error = expect.objectContaining({
        name: 'WebhookVerificationError',
        reason: 'timestamp_malformed',
      })
      await expect(createSigner(options).sign({ body: BODY, timestamp })).rejects.toThrow(error)
      expect(() => createSyncSigner(options).sign({ body: BODY, timestamp })).toThrow(error)
    },
  )

  test.each(['a\r\nX-Evil: 1', 'a\nb', 'a\0', '', 'évt_\u0161'])(
    'refuses the id %j, which is no header',
    async (id) => {
      const error = expect.objectContaining({ code: 'headers_invalid' })
      await expect(createSigner(options).sign({ body: BODY, id })).rejects.toThrow(error)
      expect(() => createSyncSigner(options).sign({ body: BODY, id })).toThrow(error)
    },
  )

  test('refuses to make more signatures than a receiver takes', () => {
    const secret = Array.from({ length: 17 }, (_, index) => `test_only_${index}`)
    expect(() => createSyncSigner({ ...options, secret }).sign({ body: BODY })).toThrow(
      expect.objectContaining({ reason: 'signatures_too_many' }),
    )
  })

  test.each([
    ['an id that is no text', { body: BODY, id: 5 }, 'headers_invalid'],
    ['an id of null', { body: BODY, id: null }, 'headers_invalid'],
    ['a misspelt member', { body: BODY, time: 5 }, 'option_unknown'],
    ['no draft', undefined, 'body_not_raw'],
  ])('refuses %s', async (_, draft, code) => {
    const error = expect.objectContaining({ code })
    await expect(createSigner(options).sign(draft as never)).rejects.toThrow(error)
    expect(() => createSyncSigner(options).sign(draft as never)).toThrow(error)
  })

  test.each([
    ['an object', { a: 1 }],
    ['nothing', undefined],
    ['null', null],
  ])('refuses %s as the body', async (_, body) => {
    const error = expect.objectContaining({ code: 'body_not_raw' })
    await expect(createSigner(options).sign({ body: body as never })).rejects.toThrow(error)
    expect(() => createSyncSigner(options).sign({ body: body as never })).toThrow(error)
  })
})
