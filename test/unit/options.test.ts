import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { engine as native } from '../../src/engines/native.ts'
import { engine as web } from '../../src/engines/web.ts'
import { paymos } from '../../src/schemes/paymos.ts'
import { createSigner, createVerifier, verify, verifyOrThrow } from '../../src/verify.ts'
import {
  constructEvent,
  createSyncSigner,
  createSyncVerifier,
  verifySync,
} from '../../src/verify-sync.ts'
import { BODY, delivery, NOW, options, SECRET } from '../fixtures.ts'

const request = delivery(BODY)
const untimed = { ...paymos, name: 'untimed', toleranceSeconds: undefined }

/** options, the code they throw, and a word of the advice */
const MISTAKES: Record<string, readonly [unknown, string, RegExp]> = {
  'no options': [undefined, 'secret_missing', /\{ secret \}/u],
  'options that are no object': ['text', 'secret_missing', /\{ secret \}/u],
  'no secret': [{}, 'secret_missing', /environment variable/u],
  'an undefined secret': [{ secret: undefined }, 'secret_missing', /environment variable/u],
  'a null secret': [{ secret: null }, 'secret_missing', /environment variable/u],
  'an empty secret': [{ secret: '' }, 'secret_missing', /environment variable/u],
  'no bytes': [{ secret: new Uint8Array(0) }, 'secret_missing', /empty/u],
  'an empty list': [{ secret: [] }, 'secret_missing', /empty list/u],
  'a list with an empty member': [{ secret: [SECRET, ''] }, 'secret_missing', /empty/u],
  'an id without a secret': [{ secret: { id: 'a' } }, 'secret_missing', /empty or not set/u],
  'a blank secret': [{ secret: '   ' }, 'secret_invalid', /trim/u],
  'a line break behind the secret': [{ secret: `${SECRET}\n` }, 'secret_invalid', /line break/u],
  'a blank before the secret': [{ secret: ` ${SECRET}` }, 'secret_invalid', /trim/u],
  'a no-break space behind it': [{ secret: `${SECRET}\u00a0` }, 'secret_invalid', /trim/u],
  'a byte order mark before it': [{ secret: `\ufeff${SECRET}` }, 'secret_invalid', /trim/u],
  'a missing value made text': [{ secret: 'undefined' }, 'secret_invalid', /missing value/u],
  'zero bytes, which are the empty key': [
    { secret: new Uint8Array(32) },
    'secret_invalid',
    /zero bytes/u,
  ],
  'text of zeros, which is the empty key': [{ secret: '\0' }, 'secret_invalid', /zero bytes/u],
  'a list with a hole': [
    { secret: Object.assign([], { 1: SECRET }) },
    'secret_missing',
    /not set/u,
  ],
  'an engine that prepares nothing': [
    { secret: SECRET, engine: { prepare: () => ({}) } },
    'engine_unavailable',
    /mac/u,
  ],
  'only a prefix': [{ secret: 'whsec_' }, 'secret_invalid', /prefix/u],
  'a version before the prefix': [{ secret: `v1,whsec_${SECRET}` }, 'secret_invalid', /no part/u],
  'only the test prefix': [{ secret: 'whsec_test_' }, 'secret_invalid', /prefix/u],
  'a promise': [{ secret: Promise.resolve(SECRET) }, 'secret_invalid', /await a promise/u],
  'an ArrayBuffer': [{ secret: new ArrayBuffer(3) }, 'secret_invalid', /Uint8Array/u],
  'a number': [{ secret: 5 }, 'secret_invalid', /text or a Uint8Array/u],
  'a secret without an id': [{ secret: { secret: SECRET } }, 'secret_invalid', /text id/u],
  'an empty id': [{ secret: { id: '', secret: SECRET } }, 'secret_invalid', /text id/u],
  'a promise in a pair': [
    { secret: { id: 'a', secret: Promise.resolve(SECRET) } },
    'secret_invalid',
    /await a promise/u,
  ],
  'a list in a list': [{ secret: [[SECRET]] }, 'secret_invalid', /text or a Uint8Array/u],
  'a secret the scheme refuses': [
    { secret: SECRET, scheme: { ...paymos, decodeKey: () => undefined } },
    'secret_invalid',
    /paymos secret/u,
  ],
  'a secret the scheme decodes to nothing': [
    { secret: SECRET, scheme: { ...paymos, decodeKey: () => new Uint8Array(0) } },
    'secret_invalid',
    /paymos secret/u,
  ],
  'a misspelt option': [
    { secret: SECRET, secrets: [] },
    'option_unknown',
    /secrets; there are secret,/u,
  ],
  'a scheme that is undefined': [
    { secret: SECRET, scheme: undefined },
    'scheme_invalid',
    /import/u,
  ],
  'a scheme that is null': [{ secret: SECRET, scheme: null }, 'scheme_invalid', /import/u],
  'a scheme by name': [{ secret: SECRET, scheme: 'paymos' }, 'scheme_invalid', /import/u],
  'half a scheme': [
    { secret: SECRET, scheme: { ...paymos, parse: 1 } },
    'scheme_invalid',
    /parse/u,
  ],
  'an engine that is none': [{ secret: SECRET, engine: {} }, 'engine_unavailable', /engine/u],
  'an engine by name': [{ secret: SECRET, engine: 'web' }, 'engine_unavailable', /engine/u],
  'a clock that is a number': [{ secret: SECRET, now: NOW }, 'now_invalid', /function/u],
}

/** the same, for options that only a verifier has */
const VERIFIER_MISTAKES: typeof MISTAKES = {
  'a schema that is undefined': [
    { secret: SECRET, schema: undefined },
    'schema_malformed',
    /import/u,
  ],
  'a schema that is null': [{ secret: SECRET, schema: null }, 'schema_malformed', /import/u],
  'a schema that is none': [{ secret: SECRET, schema: {} }, 'schema_malformed', /Standard Schema/u],
  'half a schema': [
    { secret: SECRET, schema: { '~standard': {} } },
    'schema_malformed',
    /Standard Schema/u,
  ],
  'a tolerance without a timestamp': [
    { secret: SECRET, scheme: untimed, toleranceSeconds: 300 },
    'tolerance_invalid',
    /leave toleranceSeconds out/u,
  ],
  'no tolerance without a timestamp': [
    { secret: SECRET, scheme: untimed, toleranceSeconds: 'unlimited' },
    'tolerance_invalid',
    /leave toleranceSeconds out/u,
  ],
}
for (const value of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '300', null, false]) {
  VERIFIER_MISTAKES[`a tolerance of ${value}`] = [
    { secret: SECRET, toleranceSeconds: value },
    'tolerance_invalid',
    /'unlimited' or a whole number from 0/u,
  ]
}
for (const value of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '1mb', null]) {
  VERIFIER_MISTAKES[`a body limit of ${value}`] = [
    { secret: SECRET, maxBodyBytes: value },
    'limit_invalid',
    /a whole number from 1/u,
  ]
}

describe.each(Object.entries({ ...MISTAKES, ...VERIFIER_MISTAKES }))(
  '%s',
  (_, [given, code, advice]) => {
    const wrong = given as typeof options
    const error = expect.objectContaining({
      name: 'WebhookConfigError',
      code,
      message: expect.stringMatching(advice),
    })

    test('throws when a verifier is made', () => {
      expect(() => createVerifier(wrong)).toThrow(error)
      expect(() => createSyncVerifier(wrong)).toThrow(error)
    })

    test('throws on the first call otherwise', async () => {
      await expect(verify(request, wrong)).rejects.toThrow(error)
      await expect(verifyOrThrow(request, wrong)).rejects.toThrow(error)
      expect(() => verifySync(request, wrong)).toThrow(error)
      expect(() => constructEvent(request, wrong)).toThrow(error)
    })
  },
)

test.each(Object.entries(MISTAKES))('a signer refuses %s as well', (_, [given, code]) => {
  const wrong = given as { secret: string }
  expect(() => createSigner(wrong)).toThrow(expect.objectContaining({ code }))
  expect(() => createSyncSigner(wrong)).toThrow(expect.objectContaining({ code }))
})

test('a signer knows no options of a verifier', () => {
  const wrong = { secret: SECRET, toleranceSeconds: 300 }
  expect(() => createSigner(wrong)).toThrow(expect.objectContaining({ code: 'option_unknown' }))
})

describe('the clock', () => {
  test.each([
    ['not a number', () => Number.NaN],
    ['infinite', () => Number.POSITIVE_INFINITY],
    ['milliseconds', () => NOW * 1000],
    ['text', () => String(NOW)],
    ['a Date', () => new Date()],
    ['nothing', () => undefined],
  ])('that gives %s throws now_invalid at the call', async (_, clock) => {
    const wrong = { ...options, now: clock as () => number }
    const error = expect.objectContaining({
      code: 'now_invalid',
      message: expect.stringMatching(/seconds/u),
    })
    await expect(createVerifier(wrong).verify(request)).rejects.toThrow(error)
    expect(() => verifySync(request, wrong)).toThrow(error)
    expect(() =>
      createSyncSigner({ secret: SECRET, now: clock as () => number }).sign({ body: '' }),
    ).toThrow(error)
  })

  test('is not asked when freshness is not judged', () => {
    const now = () => Number.NaN
    expect(verifySync(request, { ...options, now, toleranceSeconds: 'unlimited' })).toMatchObject({
      ok: true,
    })
  })

  test('may be before 1970', () => {
    expect(verifySync(request, { ...options, now: () => -1 })).toMatchObject({
      reason: 'timestamp_too_new',
    })
  })

  test('is the system’s by default', async () => {
    const fresh = delivery(BODY, SECRET, Math.floor(Date.now() / 1000))
    expect(await verify(fresh, { secret: SECRET })).toMatchObject({ ok: true })
    expect(await verify(request, { secret: SECRET })).toMatchObject({ reason: 'timestamp_too_old' })
  })
})

describe('the tolerance', () => {
  const at = (now: number, toleranceSeconds?: number | 'unlimited') =>
    verifySync(request, { ...options, now: () => now, toleranceSeconds }).reason
  test.each([
    [NOW + 300, undefined, undefined],
    [NOW + 300.999, undefined, undefined],
    [NOW + 301, undefined, 'timestamp_too_old'],
    [NOW - 300, undefined, undefined],
    [NOW - 300.001, undefined, 'timestamp_too_new'],
    [NOW + 0.5, 0, undefined],
    [NOW + 1, 0, 'timestamp_too_old'],
    [NOW - 1, 0, 'timestamp_too_new'],
    [NOW + 1e9, 'unlimited', undefined],
    [NOW + 86400, 86400, undefined],
  ] as const)('at %d with %s gives %s', (now, tolerance, reason) => {
    expect(at(now, tolerance)).toBe(reason)
  })
})

describe('several secrets', () => {
  test('the verdict names the secret and the signature that met', async () => {
    const [a, b] = [SECRET, 'test_only_secret_B'].map((secret) =>
      createHmac('sha256', secret).update(`${NOW}.${BODY}`).digest('hex'),
    )
    const header = { 'x-webhook-signature': `t=${NOW},v1=${'0'.repeat(64)},v1=${b},v1=${a}` }
    const secret = [
      Buffer.from('another'),
      { id: 'current', secret: SECRET },
      { id: 'previous', secret: Buffer.from('test_only_secret_B') },
    ]
    const expected = { secret: 1, secretId: 'current', signature: 2 }
    const rotated = { headers: header, body: BODY }
    expect(await verify(rotated, { ...options, secret })).toMatchObject({ matched: expected })
    expect(verifySync(rotated, { ...options, secret })).toMatchObject({ matched: expected })
    expect(verifySync(rotated, { ...options, secret: SECRET })).toMatchObject({
      matched: { secret: 0, signature: 2 },
    })
  })

  test('bytes are taken as they are, text as its UTF-8 bytes', () => {
    for (const secret of [
      Buffer.from(' \n'),
      Buffer.from([0xff, 0]),
      new DataView(Uint8Array.of(0, 1, 0, 0).buffer),
    ]) {
      const bytes = new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength)
      expect(
        verifySync(delivery(BODY, bytes), { ...options, secret: secret as Uint8Array }),
      ).toMatchObject({ ok: true })
    }
    expect(verifySync(delivery(BODY, 'clé ü'), { ...options, secret: 'clé ü' })).toMatchObject({
      ok: true,
    })
  })
})

describe('options that are passed again', () => {
  const counting = () => {
    let prepared = 0
    const engine = {
      ...native,
      prepare(key: Uint8Array) {
        prepared++
        return native.prepare(key)
      },
    }
    return { engine, count: () => prepared }
  }

  test('have their keys prepared once', () => {
    const { engine, count } = counting()
    const again = { ...options, secret: [SECRET, 'test_only_secret_B'], engine }
    for (let round = 0; round < 3; round++) verifySync(request, again)
    expect(count()).toBe(2)
    verifySync(request, { ...again })
    expect(count()).toBe(4)
  })

  test('are read anew, and prepared anew when secret, scheme or engine changed', async () => {
    const bytes = Buffer.from(SECRET)
    const other = delivery(BODY, 'test_only_secret_B')
    const changing = {
      ...options,
      secret: [bytes] as (Uint8Array | string | { id: string; secret: string })[],
    }
    const reasons = async (): Promise<unknown[]> => [
      (await verify(request, changing)).reason,
      (await verify(other, changing)).reason,
    ]
    expect(await reasons()).toEqual([undefined, 'signature_mismatch'])
    bytes.write('X')
    expect(await reasons()).toEqual(['signature_mismatch', 'signature_mismatch'])
    changing.secret[0] = 'test_only_secret_B'
    expect(await reasons()).toEqual(['signature_mismatch', undefined])
    changing.secret.push(SECRET)
    expect(await reasons()).toEqual([undefined, undefined])
    changing.secret[1] = { id: 'a', secret: SECRET }
    expect(await verify(request, changing)).toMatchObject({ matched: { secretId: 'a' } })
    Object.assign(changing, { toleranceSeconds: 0, now: () => NOW + 1 })
    expect(await reasons()).toEqual(['timestamp_too_old', 'timestamp_too_old'])
    Object.assign(changing, {
      now: () => NOW,
      scheme: { ...paymos, decodeKey: () => Buffer.from('k') },
    })
    expect(await reasons()).toEqual(['signature_mismatch', 'signature_mismatch'])
    const { engine, count } = counting()
    Object.assign(changing, { engine })
    await reasons()
    expect(count()).toBe(2)
  })

  test('are snapshotted by createVerifier', () => {
    const changing = { ...options, secret: [SECRET] }
    const verifier = createSyncVerifier(changing)
    changing.secret[0] = 'test_only_secret_B'
    Object.assign(changing, { toleranceSeconds: 0, now: () => 0 })
    expect(verifier.verify(request)).toMatchObject({ ok: true })
  })
})

test('options are an object’s own: a polluted prototype adds none', () => {
  const polluted = { toleranceSeconds: 'unlimited', secret: 'x', now: () => 5 }
  Object.assign(Object.prototype, polluted)
  try {
    expect(() => createVerifier({} as { secret: string })).toThrow(/environment variable/u)
    const late = { secret: SECRET }
    expect(verifySync(delivery(BODY, SECRET, 5), late)).toMatchObject({
      reason: 'timestamp_too_old',
    })
  } finally {
    for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name)
  }
})

describe('an engine that is not what it says', () => {
  test('an async one on the sync face is refused when the verifier or signer is made', () => {
    const error = expect.objectContaining({ code: 'engine_unavailable' })
    const failing = {
      name: 'failing',
      prepare: () => ({ mac: () => Promise.reject(new Error('later')) }),
    }
    for (const engine of [web, failing] as never[]) {
      expect(() => createSyncVerifier({ ...options, engine })).toThrow(error)
      expect(() => createSyncSigner({ secret: SECRET, engine })).toThrow(error)
    }
  })

  test('an async one on the sync face', () => {
    const wrong = { ...options, engine: web as never }
    expect(() => verifySync(request, wrong)).toThrow(/answer at once/u)
  })

  test('one that returns no bytes to compare cannot make an empty signature match', async () => {
    const engine = { name: 'broken', prepare: () => ({ mac: () => new Uint8Array(0) }) }
    const scheme = {
      ...paymos,
      parse: () => ({ head: new Uint8Array(0), signatures: [new Uint8Array(0)], timestamp: NOW }),
    }
    await expect(verify(request, { ...options, engine, scheme })).rejects.toMatchObject({
      code: 'engine_unavailable',
    })
  })
})
