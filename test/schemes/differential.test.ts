import { createHmac } from 'node:crypto'
import { sign as octokitSign, verify as octokitVerify } from '@octokit/webhooks-methods'
import fc from 'fast-check'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import type { Scheme } from '../../dist/index.js'
import { github, standardWebhooks, stripe } from '../../dist/schemes/index.js'
import { createSyncSigner, verifySync } from '../../dist/sync.js'

// The providers' own libraries as signers and verifiers that know nothing of this package.

type Headers = Record<string, string>
interface Peer {
  readonly scheme: Scheme<unknown>
  readonly secret: fc.Arbitrary<string>
  /** Signs by the provider's library, at a time. */
  sign(body: string, secret: string, at: number): Headers | Promise<Headers>
  /** Verifies by the provider's library, now. */
  accepts(body: string, secret: string, headers: Headers): boolean | Promise<boolean>
  /**
   * What this package may accept and the library refuses: the reason, and the headers as the
   * library would take them.
   */
  readonly exception?: readonly [reason: string, asTheyWant: (headers: Headers) => Headers]
}

const stripeLibrary = new Stripe('sk_test_unused')
const text = fc.string({ minLength: 8, maxLength: 40, unit: fc.constantFrom(...'abcdefXYZ0189_-') })
const base64Secret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((key) => `whsec_${Buffer.from(key).toString('base64')}`)
const messageId = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'
const throws = (run: () => unknown) => {
  try {
    run()
    return false
  } catch {
    return true
  }
}

const standard = (prefix: string, Library: typeof StandardWebhook | typeof SvixWebhook): Peer => ({
  scheme: standardWebhooks,
  secret: base64Secret,
  sign: (body, secret, at) => ({
    [`${prefix}-id`]: messageId,
    [`${prefix}-timestamp`]: String(at),
    [`${prefix}-signature`]: new Library(secret).sign(messageId, new Date(at * 1000), body),
  }),
  accepts: (body, secret, headers) => !throws(() => new Library(secret).verify(body, headers)),
})

const PEERS: Record<string, Peer> = {
  stripe: {
    scheme: stripe,
    secret: text.map((secret) => `whsec_${secret}`),
    sign: (payload, secret, timestamp) => ({
      'stripe-signature': stripeLibrary.webhooks.generateTestHeaderString({
        payload,
        secret,
        timestamp,
      }),
    }),
    accepts: (body, secret, headers) =>
      !throws(() =>
        stripeLibrary.webhooks.constructEvent(body, headers['stripe-signature'] ?? '', secret),
      ),
    exception: [
      'Stripe documents the header as prefixed values between commas and the signature as hexadecimal: blanks around an element, an element without a value and upper-case digits change nothing',
      (headers) => ({
        'stripe-signature': (headers['stripe-signature'] ?? '')
          .split(',')
          .map((element) =>
            element.trim().replace(/^v1=[0-9A-Fa-f]{64}$/u, (v1) => v1.toLowerCase()),
          )
          .filter((element) => !/^v1=?$/u.test(element))
          .join(','),
      }),
    ],
  },
  standardwebhooks: standard('webhook', StandardWebhook),
  svix: standard('svix', SvixWebhook),
  octokit: {
    scheme: github,
    secret: text,
    sign: async (body, secret) => ({ 'x-hub-signature-256': await octokitSign(secret, body) }),
    accepts: (body, secret, headers) =>
      octokitVerify(secret, body, headers['x-hub-signature-256'] ?? '').catch(() => false),
  },
}

const body = fc
  .record({
    id: fc.string({ minLength: 1 }).map((id) => `e${id}`),
    type: fc.constant('a.b'),
    data: fc.jsonValue({ maxDepth: 2 }),
  })
  .map((event) => JSON.stringify(event))
const seconds = () => Math.floor(Date.now() / 1000)

describe.each(Object.entries(PEERS))('%s', (_, peer) => {
  const { scheme } = peer
  const ours = (received: string, secret: string, headers: Headers) =>
    verifySync({ headers, body: received }, { secret, scheme })

  test('what it signs, we accept', async () => {
    await fc.assert(
      fc.asyncProperty(body, peer.secret, async (sent, secret) => {
        const headers = await peer.sign(sent, secret, seconds())
        expect(ours(sent, secret, headers)).toMatchObject({ ok: true, event: JSON.parse(sent) })
      }),
      { numRuns: 300 },
    )
  })

  test('what we sign, it accepts', async () => {
    await fc.assert(
      fc.asyncProperty(body, peer.secret, async (sent, secret) => {
        const signed = createSyncSigner({ secret, scheme }).sign({ body: sent, id: messageId })
        const headers = Object.fromEntries(
          Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]),
        )
        expect(await peer.accepts(sent, secret, headers)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('whatever is changed, we never accept what it refuses', async () => {
    let accepted = 0
    let refused = 0
    await fc.assert(
      fc.asyncProperty(body, peer.secret, mutation, async (sent, secret, mutate) => {
        const mutated = mutate(sent, await peer.sign(sent, secret, seconds() + mutate.shift))
        if (!ours(mutated.body, secret, mutated.headers).ok) {
          refused++
          return
        }
        accepted++
        const theirs = await peer.accepts(mutated.body, secret, mutated.headers)
        const alike = peer.exception?.[1](mutated.headers)
        const excepted = alike !== undefined && (await peer.accepts(mutated.body, secret, alike))
        expect(theirs || excepted, JSON.stringify(mutated)).toBe(true)
      }),
      { numRuns: 3000 },
    )
    // Mutations that are all refused, or all harmless, would prove nothing.
    expect(accepted).toBeGreaterThan(100)
    expect(refused).toBeGreaterThan(1000)
  })
})

test('a body that its library cannot see as text is verified here as the bytes it is', () => {
  const bytes = Buffer.from([
    ...Buffer.from('{"id":"e1","type":"a","x":"'),
    0xff,
    ...Buffer.from('"}'),
  ])
  const at = seconds()
  const mac = createHmac('sha256', 'whsec_a').update(`${at}.`).update(bytes).digest('hex')
  const headers = { 'stripe-signature': `t=${at},v1=${mac}` }
  expect(verifySync({ headers, body: bytes }, { secret: 'whsec_a', scheme: stripe })).toMatchObject(
    {
      reason: 'body_not_utf8',
    },
  )
})

// One change to a signed delivery: to a character of the body, to a header's text, to the time.

interface Mutation {
  (body: string, headers: Headers): { readonly body: string; readonly headers: Headers }
  readonly shift: number
}

const insertion = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    ',',
    '=',
    '0',
    'a',
    'A',
    '\t',
    'v1=',
    'v1,',
    'v0=',
    't=1',
    't=',
    'sha256=',
    '+',
    '/',
    '\u00e9',
    '\n',
  ),
  fc.string({ maxLength: 3 }),
)
const edits: fc.Arbitrary<(text: string) => string>[] = [
  fc.tuple(fc.nat(), insertion).map(
    ([at, added]) =>
      (text: string) =>
        text.slice(0, at % (text.length + 1)) + added + text.slice(at % (text.length + 1)),
  ),
  fc.tuple(fc.nat(), fc.nat({ max: 3 }), insertion).map(([at, cut, added]) => (text: string) => {
    const from = at % (text.length + 1)
    return text.slice(0, from) + added + text.slice(from + cut)
  }),
  fc.constant((text: string) => text.toUpperCase()),
  fc.constant((text: string) => text.toLowerCase()),
  fc.constant((text: string) => `${text},${text}`),
  fc.constant((text: string) => `${text} ${text}`),
  fc.constant((text: string) => `${text}, ${text}`),
  fc.constant((text: string) => text.split(',').reverse().join(',')),
  fc.constant((text: string) => ` ${text.replaceAll(',', ' , ')} `),
  fc.constant((text: string) => text.replaceAll(/(?<=v1=)[0-9a-f]+/gu, (mac) => mac.toUpperCase())),
  fc.nat().map((at) => (text: string) => text.slice(0, at % (text.length + 1))),
  fc.constant(() => ''),
]
const shift = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(-290, -310, 290, 310, -1e6, 1e6) },
)
const mutation: fc.Arbitrary<Mutation> = fc
  .tuple(
    fc.oneof(...edits),
    fc.nat(),
    fc.constantFrom('header', 'header', 'header', 'body', 'nothing'),
    shift,
  )
  .map(([edit, which, target, by]) =>
    Object.assign(
      (sent: string, headers: Headers) => {
        if (target === 'nothing') return { body: sent, headers }
        if (target === 'body') return { body: edit(sent), headers }
        const names = Object.keys(headers)
        const name = names[which % names.length] as string
        return { body: sent, headers: { ...headers, [name]: edit(headers[name] as string) } }
      },
      { shift: by },
    ),
  )
