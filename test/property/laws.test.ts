import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { engine as native } from '../../dist/engines/native.js'
import { engine as noble } from '../../dist/engines/noble.js'
import { engine as web } from '../../dist/engines/web.js'
import {
  createSigner,
  createVerifier,
  type Verdict,
  verify,
  verifyOrThrow,
} from '../../dist/index.js'
import {
  constructEvent,
  createSyncSigner,
  createSyncVerifier,
  verifySync,
} from '../../dist/sync.js'
import { NOW } from '../fixtures.ts'

const HEADER = 'x-webhook-signature'
const now = () => NOW
const ENGINES = [native, noble, web]

const bytes = fc.uint8Array({ maxLength: 300 })
/** Nothing but zeros is the empty key, and refused. */
const isKey = (key: Uint8Array) => key.some((byte) => byte !== 0)
const keyBytes = fc.uint8Array({ minLength: 1, maxLength: 150 }).filter(isKey)
const textSecret = fc
  .string({ minLength: 1, maxLength: 80, unit: 'binary' })
  .filter(
    (text) => text.trim() === text && /[^\0]/u.test(text) && !/^whsec_(test_|live_)?$/u.test(text),
  )
const secret = fc.oneof(keyBytes, textSecret)
const secretId = (text: string | Uint8Array) => Buffer.from(text).toString('hex')
const distinctSecrets = fc.uniqueArray(
  fc.uint8Array({ minLength: 1, maxLength: 60 }).filter(isKey),
  {
    minLength: 1,
    maxLength: 5,
    // HMAC pads keys with zeros, so keys that differ in trailing zeros alone are one key.
    selector: (key) => secretId(key).replace(/(00)+$/u, ''),
  },
)
const event = fc.record({
  event_id: fc.string({ unit: 'grapheme-ascii' }).map((id) => `e${id}`),
  event_type: fc.constantFrom('invoice.paid', 'withdrawal.failed', 'refund.created'),
  version: fc.integer({ min: 1, max: 2 ** 53 - 1 }),
  occurred_at: fc.integer({ min: 0, max: 2 ** 53 - 1 }),
  data: fc.dictionary(fc.string(), fc.jsonValue()),
})
const hex = (body: Uint8Array | string, key: Uint8Array | string, t: number | string = NOW) =>
  createHmac('sha256', key).update(`${t}.`).update(body).digest('hex')

/** Text that looks like the header, broken in every place. */
const piece = fc.oneof(
  fc.constantFrom(
    't',
    'v1',
    'v0',
    't=',
    'v1=',
    '=',
    ',',
    ' ',
    '\t',
    '\u00a0',
    '\r\n',
    String(NOW),
    '0',
    '00',
    '-1',
    'a'.repeat(64),
    'A'.repeat(64),
    'g'.repeat(64),
    '__proto__=1',
  ),
  fc.string({ maxLength: 8, unit: 'binary' }),
  fc.string({ minLength: 62, maxLength: 66, unit: fc.constantFrom(...'0123456789abcdefABCDEF') }),
)
const headerText = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(',')),
  fc.string({ maxLength: 6000, unit: 'binary' }),
)

function isVerdict(verdict: Verdict<unknown>): boolean {
  return verdict.ok
    ? verdict.event !== undefined && verdict.body instanceof Uint8Array
    : typeof verdict.reason === 'string' && typeof verdict.detail === 'string'
}

describe('whatever a sender sends', () => {
  test('any text in any header gives a verdict and never throws', async () => {
    const names = fc.constantFrom(
      HEADER,
      'X-Webhook-Signature',
      'x-webhook-id',
      'x-other',
      '__proto__',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(names, headerText), { maxLength: 4 }),
        fc.oneof(bytes, fc.string({ unit: 'binary' })),
        async (headers, body) => {
          const request = { headers, body }
          const sync = verifySync(request, { secret: 's', now })
          expect(isVerdict(sync)).toBe(true)
          expect(await verify(request, { secret: 's', now })).toEqual(sync)
          expect(
            await verify({ headers: new Map(headers), body }, { secret: 's', now }),
          ).toHaveProperty('ok')
        },
      ),
      { numRuns: 1500 },
    )
  })

  test('any rightly signed bytes give a verdict, and the same one in every form', async () => {
    const bodies = fc.oneof(
      bytes,
      fc.json().map((json) => Buffer.from(json)),
      event.map((e) => Buffer.from(JSON.stringify(e))),
    )
    await fc.assert(
      fc.asyncProperty(bodies, keyBytes, async (body, key) => {
        const headers = { [HEADER]: `t=${NOW},v1=${hex(body, key)}` }
        const verdict = verifySync({ headers, body: new Uint8Array(body) }, { secret: key, now })
        expect(isVerdict(verdict)).toBe(true)
        expect(verdict.stage).not.toBe('signature')
        const chunks = (async function* () {
          for (const byte of body) yield Uint8Array.of(byte)
        })()
        expect(await verify({ headers, body: chunks }, { secret: key, now })).toEqual(verdict)
      }),
      { numRuns: 500 },
    )
  })
})

describe('signing and verifying', () => {
  test('round-trips for every event and secret, and keeps the event as it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        event,
        secret,
        fc.integer({ min: 0, max: 10 ** 11 }),
        async (sent, key, t) => {
          const body = JSON.stringify(sent)
          const options = { secret: key, now: () => t }
          const headers = await createSigner(options).sign({ body, id: sent.event_id })
          expect(createSyncSigner(options).sign({ body, id: sent.event_id })).toEqual(headers)
          expect(headers['X-Webhook-Signature']).toBe(`t=${t},v1=${hex(body, key, t)}`)
          const verdict = await verify({ headers, body }, options)
          expect(verdict).toMatchObject({
            ok: true,
            timestamp: t,
            matched: { secret: 0, signature: 0 },
          })
          expect(verdict.ok && verdict.event).toEqual(JSON.parse(body))
          expect(verifySync({ headers, body }, options)).toEqual(verdict)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('flipping any bit of the body, the time or the signature refuses', () => {
    fc.assert(
      fc.property(event, keyBytes, fc.nat(), fc.nat({ max: 7 }), (sent, key, at, bit) => {
        const body = Buffer.from(JSON.stringify(sent))
        const time = String(NOW)
        const mac = hex(body, key)
        const flip = (data: Uint8Array) => {
          const flipped = Uint8Array.from(data)
          const index = at % data.length
          flipped[index] = (flipped[index] as number) ^ (1 << bit)
          return flipped
        }
        const judge = (t: string, v1: string, received: Uint8Array) =>
          verifySync(
            { headers: { [HEADER]: `t=${t},v1=${v1}` }, body: received },
            { secret: key, now, toleranceSeconds: 'unlimited' },
          )
        expect(judge(time, mac, body).ok).toBe(true)
        expect(judge(time, mac, flip(body))).toMatchObject({ reason: 'signature_mismatch' })
        expect(judge(Buffer.from(flip(Buffer.from(time))).toString('latin1'), mac, body).ok).toBe(
          false,
        )
        const flippedMac = Buffer.from(flip(Buffer.from(mac, 'hex'))).toString('hex')
        expect(judge(time, flippedMac, body)).toMatchObject({ reason: 'signature_mismatch' })
        const flippedText = Buffer.from(flip(Buffer.from(mac))).toString('latin1')
        if (flippedText.toLowerCase() !== mac) expect(judge(time, flippedText, body).ok).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })

  test('every single bit of one signature counts', () => {
    const body = '{}'
    const mac = Buffer.from(hex(body, 'key'), 'hex')
    for (let bit = 0; bit < 256; bit++) {
      const flipped = Buffer.from(mac)
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
      const headers = { [HEADER]: `t=${NOW},v1=${flipped.toString('hex')}` }
      expect(verifySync({ headers, body }, { secret: 'key', now })).toMatchObject({
        reason: 'signature_mismatch',
      })
    }
  })
})

test('neither the order of secrets nor that of signatures changes acceptance', () => {
  fc.assert(
    fc.property(
      distinctSecrets,
      distinctSecrets,
      fc.array(
        fc.string({ minLength: 64, maxLength: 64, unit: fc.constantFrom(...'0123456789abcdef') }),
        { maxLength: 4 },
      ),
      fc.infiniteStream(fc.nat()),
      (mine, theirs, noise, random) => {
        const body = '{"event_id":"e","event_type":"t","version":1,"occurred_at":0,"data":{}}'
        const shuffle = <T>(list: readonly T[]) =>
          list
            .map((item) => [random.next().value as number, item] as const)
            .sort(([a], [b]) => a - b)
            .map(([, item]) => item)
        const macs = [...theirs.map((key) => hex(body, key)), ...noise]
        const judge = (secrets: readonly Uint8Array[], values: readonly string[]) =>
          verifySync(
            {
              headers: {
                [HEADER]: [`t=${NOW}`, ...values.map((value) => `v1=${value}`)].join(','),
              },
              body,
            },
            { secret: secrets, now },
          )
        const first = judge(mine, macs)
        const second = judge(shuffle(mine), shuffle(macs))
        expect(second.ok).toBe(first.ok)
        expect(second.reason).toBe(first.reason)
        const shared = new Set(theirs.map((key) => hex(body, key)))
        expect(first.ok).toBe(mine.some((key) => shared.has(hex(body, key))))
      },
    ),
    { numRuns: 500 },
  )
})

test('the engines agree with each other and with OpenSSL', async () => {
  const long = fc.nat({ max: 40_000 }).map((length) => new Uint8Array(length).fill(length & 0xff))
  await fc.assert(
    fc.asyncProperty(keyBytes, bytes, fc.oneof(bytes, long), async (key, head, body) => {
      const want = createHmac('sha256', key).update(head).update(body).digest('hex')
      for (const engine of ENGINES) {
        const mac = await engine.prepare(key).mac(head, body)
        expect(Buffer.from(mac).toString('hex'), engine.name).toBe(want)
      }
    }),
    { numRuns: 300 },
  )
})

describe('no refusal and no error tells anything secret', () => {
  // Long random words: none of them stands in a message by chance.
  const word = fc.string({
    minLength: 24,
    maxLength: 40,
    unit: fc.constantFrom(...'0123456789abcdefghijkl'),
  })

  test('not the secret, the expected signature, the header or the body', async () => {
    await fc.assert(
      fc.asyncProperty(word, word, word, fc.nat({ max: 6 }), async (key, junk, content, kind) => {
        const body = [
          content,
          `"${content}"`,
          JSON.stringify({ event_id: content }),
          JSON.stringify({ event_id: 5, [content]: content }),
          JSON.stringify({ event_id: content, event_type: ' ', version: content }),
          JSON.stringify({
            event_id: content,
            event_type: content,
            version: 1,
            occurred_at: 1,
            data: [content],
          }),
          `${content}\u{1F600}`,
        ][kind] as string
        const right = hex(body, key)
        const headers = [
          junk,
          `t=${junk},v1=${right}`,
          `t=${NOW},v1=${junk}`,
          `t=${NOW},v1=${'0'.repeat(64)},x=${junk}`,
          `t=${NOW - 1000},v1=${right},x=${junk}`,
          `t=${NOW},v1=${right},x=${junk}`,
        ]
        for (const header of headers) {
          const request = { headers: { [HEADER]: header }, body }
          const options = { secret: key, now }
          const verdict = verifySync(request, options)
          expect(verdict.ok).toBe(false)
          const thrown = [
            await verifyOrThrow(request, options).catch((error) => error),
            catching(() => constructEvent(request, options)),
          ]
          for (const shown of [verdict, ...thrown].flatMap(everything)) {
            for (const hidden of [key, junk, content, right, header]) {
              expect(shown).not.toContain(hidden)
            }
          }
        }
      }),
      { numRuns: 100 },
    )
  })

  test('nor do mistakes in the configuration', () => {
    fc.assert(
      fc.property(word, (key) => {
        const wrong: unknown[] = [
          { secret: ` ${key}` },
          { secret: [key, ''] },
          { secret: key, engine: {} },
          { secret: { id: '', secret: key } },
          { secret: { id: key } },
          { secret: key, toleranceSeconds: -1 },
          { secret: Buffer.from(key), maxBodyBytes: 0 },
        ]
        for (const options of wrong) {
          for (const create of [createVerifier, createSyncVerifier]) {
            const error = catching(() => create(options as { secret: string }))
            expect(error).toMatchObject({ name: 'WebhookConfigError' })
            for (const shown of everything(error)) expect(shown).not.toContain(key)
          }
        }
      }),
      { numRuns: 50 },
    )
  })

  function catching(run: () => unknown): unknown {
    try {
      return run()
    } catch (error) {
      return error
    }
  }

  /** All the ways a value gets into a log. */
  function everything(value: unknown): string[] {
    return [
      inspect(value, { depth: 9, showHidden: true }),
      String(value),
      String(JSON.stringify(value)),
      String((value as Error).message),
      String((value as Error).stack),
    ]
  }
})
