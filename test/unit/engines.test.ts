import { createHmac, randomBytes } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { HmacEngine } from '../../src/core/engine.ts'
import { engine as fallback } from '../../src/engines/default.ts'
import { engine as syncFallback } from '../../src/engines/default-sync.ts'
import { engine as native } from '../../src/engines/native.ts'
import { engine as noble } from '../../src/engines/noble.ts'
import { engine as web } from '../../src/engines/web.ts'

const ENGINES = { native, web, noble, default: fallback, 'default, sync': syncFallback }
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const openssl = (key: Uint8Array, message: Uint8Array) =>
  createHmac('sha256', key).update(message).digest('hex')

describe.each(Object.entries(ENGINES))('the engine %s', (_, engine) => {
  test('agrees with OpenSSL for every length of key and message around the block sizes', async () => {
    const noise = randomBytes(512)
    for (let keyLength = 1; keyLength <= 200; keyLength += engine === web ? 21 : 1) {
      const key = noise.subarray(0, keyLength)
      const prepared = engine.prepare(key)
      for (let length = keyLength % 7; length <= 330; length += engine === web ? 31 : 7) {
        const message = noise.subarray(100, 100 + length)
        const at = length % 13
        const mac = await prepared.mac(message.subarray(0, at), message.subarray(at))
        expect(hex(mac), `key ${keyLength}, message ${length}`).toBe(openssl(key, message))
      }
    }
  })

  test('agrees with OpenSSL around the size where a message is no longer copied', async () => {
    const key = randomBytes(32)
    const prepared = engine.prepare(key)
    for (const length of [32702, 32703, 32704, 32705, 32768, 65536, 1048576]) {
      const message = randomBytes(length)
      const mac = await prepared.mac(message.subarray(0, 11), message.subarray(11))
      expect(hex(mac), `${length} bytes`).toBe(openssl(key, message))
    }
  })

  test('keeps keys apart that are used in turn, and its own copy of each', async () => {
    const keys = [randomBytes(20), randomBytes(64), randomBytes(100)]
    const expected = keys.map((key) => openssl(key, Buffer.from('head.body')))
    const prepared = keys.map((key) => engine.prepare(key))
    for (const key of keys) key.fill(0)
    for (let round = 0; round < 3; round++) {
      const macs = await Promise.all(
        prepared.map(({ mac }) => mac(Buffer.from('head.'), Buffer.from('body'))),
      )
      expect(macs.map(hex)).toEqual(expected)
    }
  })
})

describe('a runtime', () => {
  const { getBuiltinModule } = process
  const withLookUp = (lookUp: unknown) => {
    vi.resetModules()
    Object.assign(process, { getBuiltinModule: lookUp })
  }
  const load = async (name: string): Promise<{ engine: HmacEngine }> =>
    import(`../../src/engines/${name}.ts`)
  afterEach(() => {
    Object.assign(process, { getBuiltinModule })
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  const without: Record<string, unknown> = {
    'without getBuiltinModule': undefined,
    'whose getBuiltinModule throws': () => {
      throw new Error('not supported')
    },
    'whose getBuiltinModule knows no crypto': () => undefined,
    'whose node:crypto is a stub': () => ({}),
  }
  test.each(Object.entries(without))(
    '%s has no native engine, and the others step in',
    async (_, lookUp) => {
      withLookUp(lookUp)
      const key = Buffer.from('key')
      const { engine } = await load('native')
      expect(() => engine.prepare(key)).toThrow(
        expect.objectContaining({ code: 'engine_unavailable' }),
      )
      for (const name of ['default', 'default-sync']) {
        const fallback = (await load(name)).engine
        const mac = await fallback.prepare(key).mac(Buffer.from('a'), Buffer.from('b'))
        expect(hex(mac)).toBe(openssl(key, Buffer.from('ab')))
      }
    },
  )

  test('without any crypto says engine_unavailable and names hookproof/sync', async () => {
    withLookUp(undefined)
    for (const crypto of [undefined, {}]) {
      vi.stubGlobal('crypto', crypto)
      const { engine } = await load('default')
      expect(() => engine.prepare(Buffer.from('key'))).toThrow(/hookproof\/sync/u)
    }
  })

  const crypto = getBuiltinModule('node:crypto')
  const hash = vi.fn(crypto.hash)
  test.each([
    ['in FIPS mode', { getFips: () => 1 }, 0],
    ['in FIPS mode, told by a boolean', { getFips: () => true }, 0],
    ['without crypto.hash', { hash: undefined }, 0],
    ['out of FIPS mode', { getFips: () => 0 }, 2],
    ['without getFips', { getFips: undefined }, 2],
  ])(
    '%s gives the same MAC, with a HMAC built by hand only where that is allowed',
    async (_, changes, calls) => {
      hash.mockClear()
      withLookUp(() => ({ ...crypto, hash, ...changes }))
      const { engine } = await load('native')
      const key = randomBytes(50)
      const mac = await engine.prepare(key).mac(Buffer.from('a'), Buffer.from('b'))
      expect(hex(mac)).toBe(openssl(key, Buffer.from('ab')))
      expect(hash).toHaveBeenCalledTimes(calls)
    },
  )
})
