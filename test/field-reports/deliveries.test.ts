import { execFileSync } from 'node:child_process'
import { inspect } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { engine as native } from '../../dist/engines/native.js'
import { createSigner, createVerifier, type Verdict, verify } from '../../dist/index.js'
import { createSyncSigner, createSyncVerifier, verifySync } from '../../dist/sync.js'
import { BODY, delivery, mac, NOW, SECRET } from '../fixtures.ts'
import { ROOT } from '../package/package-json.ts'
import { CONFIGURATIONS, ITEMS, type Item } from './data.ts'

const foreign = createContext({ bytes: [] })

/** A body in every form that can hold it. */
function formsOf(body: string | Uint8Array): Record<string, () => unknown> {
  const bytes = Buffer.from(body)
  const elsewhere = (code: string) => () => {
    foreign.bytes = [...bytes]
    return runInContext(code, foreign)
  }
  return {
    'a Buffer': () => bytes,
    'a Uint8Array': () => Uint8Array.from(bytes),
    'an ArrayBuffer': () => Uint8Array.from(bytes).buffer,
    'a DataView': () => new DataView(Uint8Array.from(bytes).buffer),
    'a Uint8Array of another realm': elsewhere('Uint8Array.from(bytes)'),
    'an ArrayBuffer of another realm': elsewhere('Uint8Array.from(bytes).buffer'),
    ...(Buffer.from(bytes.toString()).equals(bytes) && { text: () => bytes.toString() }),
  }
}

async function* byteByByte(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(body)) yield Uint8Array.of(byte)
}

/** An engine that tells how often it was asked. */
function counting() {
  let calls = 0
  const prepare: typeof native.prepare = (key) => {
    const prepared = native.prepare(key)
    return {
      mac(head, body) {
        calls++
        return prepared.mac(head, body)
      },
    }
  }
  return { engine: { name: 'counting', prepare }, calls: () => calls }
}

function inputOf({ header, headers, body = BODY, secret = SECRET, now = NOW, tolerance }: Item) {
  return {
    headers: { ...headers, 'x-webhook-signature': header },
    body,
    options: { secret, now: () => now, toleranceSeconds: tolerance },
  }
}

function expectVerdict(verdict: Verdict<unknown>, item: Item): void {
  expect(verdict.reason ?? 'ok').toBe(item.expect)
  const { body, options } = inputOf(item)
  if (verdict.ok) {
    expect(Buffer.from(verdict.body)).toEqual(Buffer.from(body))
    return
  }
  if (item.detail !== undefined) expect(verdict.detail).toMatch(item.detail)
  const secrets = [options.secret].flat()
  const told = inspect(verdict) + JSON.stringify(verdict)
  const kept = [...secrets, ...secrets.map((secret) => mac(body, secret)), '0'.repeat(64), 'inv_1']
  expect(kept.filter((text) => told.includes(text))).toEqual([])
}

describe('a delivery of row', () => {
  test.each(ITEMS.map((item) => [item.row, item.what, item] as const))(
    '%i: %s',
    async (_row, _what, item) => {
      const { headers, body, options } = inputOf(item)
      const { engine, calls } = counting()
      const sync = createSyncVerifier({ ...options, engine })
      const async = createVerifier({ ...options, engine })
      for (const make of Object.values(formsOf(body))) {
        const request = { headers, body: make() as Uint8Array }
        expectVerdict(sync.verify(request), item)
        expectVerdict(await async.verify(request), item)
        expectVerdict(verifySync(request, options), item)
        expectVerdict(await verify(request, options), item)
        const before = calls()
        sync.verify(request)
        expect(calls() - before).toBeLessThanOrEqual([options.secret].flat().length)
      }
      expectVerdict(await async.verify({ headers, body: byteByByte(body) }), item)
    },
  )
})

describe('options of row', () => {
  test.each(CONFIGURATIONS.map((item) => [item.row, item.what, item] as const))(
    '%i: %s',
    async (_row, _what, { options, code, advice = /./u }) => {
      const wrong = options as { secret: string }
      const error = expect.objectContaining({
        name: 'WebhookConfigError',
        code,
        message: expect.stringMatching(advice),
      })
      expect(() => createVerifier(wrong)).toThrow(error)
      expect(() => createSyncVerifier(wrong)).toThrow(error)
      // The key that anybody has.
      await expect(verify(delivery(BODY, ''), wrong)).rejects.toThrow(error)
      expect(() => verifySync(delivery(BODY, ''), wrong)).toThrow(error)
    },
  )
})

describe('what follows on each other, of row', () => {
  test('65: a delivery under another secret changes nothing for the next', async () => {
    const options = { secret: SECRET, now: () => NOW }
    const { verify: later } = createVerifier(options)
    for (const secret of [SECRET, 'test_only_secret_B', SECRET, 'test_only_secret_B', SECRET]) {
      const reason = secret === SECRET ? undefined : 'signature_mismatch'
      expect((await later(delivery(BODY, secret))).reason).toBe(reason)
      expect((await verify(delivery(BODY, secret), options)).reason).toBe(reason)
    }
  })

  test('70: a secret that changes while the process runs is read at every call', async () => {
    let current = SECRET
    const options = {
      get secret() {
        return current
      },
      now: () => NOW,
    }
    const first = await verify(delivery(BODY, SECRET), options)
    current = 'test_only_secret_B'
    const second = await verify(delivery(BODY, 'test_only_secret_B'), options)
    expect([first.ok, second.ok]).toEqual([true, true])
    expect(verifySync(delivery(BODY, SECRET), options).reason).toBe('signature_mismatch')
  })

  test('79: a delivery that is signed anew keeps the id it is deduped on', async () => {
    const ids = await Promise.all(
      [NOW - 3600, NOW].map(async (t) => {
        const verdict = await verify(delivery(BODY, SECRET, t), { secret: SECRET, now: () => t })
        return verdict.ok && [verdict.delivery.id, verdict.delivery.idSigned]
      }),
    )
    expect(ids).toEqual([
      ['evt_1', true],
      ['evt_1', true],
    ])
  })
})

describe('what is signed, of row', () => {
  test('43: text and bytes, never an object that somebody else would serialise', async () => {
    const draft = { body: JSON.parse(BODY) }
    await expect(createSigner({ secret: SECRET }).sign(draft)).rejects.toMatchObject({
      code: 'body_not_raw',
    })
    expect(() => createSyncSigner({ secret: SECRET }).sign(draft)).toThrow(/as it will be sent/u)
  })

  test('87: the same header on both faces', async () => {
    const draft = { body: BODY, timestamp: NOW }
    const header = `t=${NOW},v1=${mac(BODY)}`
    const signed = await createSigner({ secret: SECRET }).sign(draft)
    expect(signed['X-Webhook-Signature']).toBe(header)
    expect(createSyncSigner({ secret: SECRET }).sign(draft)).toEqual(signed)
  })
})

const PROGRAM = `
import { verify } from 'hookproof'
import { verifySync } from 'hookproof/sync'
const delivery = ${JSON.stringify(delivery(BODY))}
const options = { secret: '${SECRET}', now: () => ${NOW} }
const verdicts = [await verify(delivery, options), verifySync(delivery, options)]
console.log(import.meta.resolve('hookproof').split('/').at(-1), verdicts.map(({ ok }) => ok).join())
`

describe('a program of row', () => {
  const CONDITIONS = ['browser', 'bun', 'deno', 'edge-light', 'react-native', 'worker', 'workerd']
  test.each(CONDITIONS)('85: gets the same file under the condition %s', (condition) => {
    const flags = [`--conditions=${condition}`, '--input-type=module', '--eval', PROGRAM]
    const printed = execFileSync(process.execPath, flags, { cwd: ROOT, encoding: 'utf8' })
    expect(printed).toBe('index.js true,true\n')
  })

  test('95: verifies on a Node without a global crypto', () => {
    const program = `delete globalThis.crypto\n${PROGRAM}`
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect(printed).toBe('index.js true,true\n')
  })
})
