import { createHmac } from 'node:crypto'
import { sign as octokitSign } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { SECRET } from '../frameworks/expect-page.ts'
import { type Block, blocksOf } from './blocks.ts'
import { load } from './load.ts'

const now = Math.floor(Date.now() / 1000)
const EVENT = { id: 'evt_1', type: 'invoice.paid', data: {} }
const PAYMOS = {
  event_id: 'evt_1',
  event_type: 'invoice.paid',
  version: 1,
  occurred_at: now,
  data: {},
}
const standard = (prefix: string) => (body: string) => ({
  [`${prefix}-id`]: 'msg_1',
  [`${prefix}-timestamp`]: String(now),
  [`${prefix}-signature`]: new Webhook(SECRET).sign('msg_1', new Date(now * 1000), body),
})

type Headers = Record<string, string>

/** How the provider signs, by the words that the module imports. */
const PROVIDERS: readonly [
  imports: RegExp,
  event: object,
  sign: (body: string) => Headers | Promise<Headers>,
][] = [
  [
    /schemes\/stripe'|from 'stripe'/u,
    EVENT,
    (payload) => ({
      'stripe-signature': new Stripe('sk_test_unused').webhooks.generateTestHeaderString({
        payload,
        secret: SECRET,
      }),
    }),
  ],
  [/from 'svix'/u, EVENT, standard('svix')],
  [/standard-?webhooks'/u, EVENT, standard('webhook')],
  [
    /octokit|schemes\/github'/u,
    EVENT,
    async (body) => ({
      'x-github-event': 'invoice.paid',
      'x-hub-signature-256': await octokitSign(SECRET, body),
    }),
  ],
  [
    /hookproof\/sync'/u,
    PAYMOS,
    (body) => ({
      'x-webhook-signature': `t=${now},v1=${createHmac('sha256', SECRET).update(`${now}.${body}`).digest('hex')}`,
    }),
  ],
]

const blocks = blocksOf('docs/migrating.md').filter(({ language }) => language === 'ts')

test('there is a before and an after for each library', () => {
  const isAfter = ({ code }: Block) => code.includes("'hookproof")
  expect(blocks.map(isAfter)).toEqual([false, true, false, false, true, false, true, true])
})

describe.each(blocks.map((block) => [`docs/migrating.md:${block.line}`, block] as const))(
  '%s',
  (name, block) => {
    const provider = PROVIDERS.find(([imports]) => imports.test(block.code))
    if (provider === undefined) throw new Error('a provider that this test does not know')
    const [, event, sign] = provider
    const body = JSON.stringify(event)

    test('takes what the provider signs, and refuses what was changed', async () => {
      const { receive } = (await load(name, block)) as {
        receive: (headers: Headers, body: string) => string | Promise<string>
      }
      const headers = await sign(body)
      expect(await receive(headers, body)).toBe('invoice.paid')
      await expect((async () => receive(headers, body.replace('paid', 'void')))()).rejects.toThrow()
      await expect((async () => receive({}, body))()).rejects.toThrow()
    })
  },
)
