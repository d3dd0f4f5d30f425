import { checkLost, delivery, EVENT, equal, PARSED, post } from '../adapters/contract.ts'
import { testPage } from './expect-page.ts'
import { describeFramework } from './harness.ts'

const ADVICE = /before the body parser.*ctx\.request\.rawBody/u

describeFramework({
  name: 'Koa 3',
  program: 'koa.js',
  parsers: {
    large: true,
    kept: ['/kept', '/kept-older', '/raw', '/kept-by-platform'],
    parsed: { code: 'body_not_raw', advice: ADVICE },
    read: { code: 'body_already_read', advice: ADVICE },
  },
  more: [
    PARSED.half,
    {
      name: 'a handler that has answered by itself is left alone',
      run: async (target) =>
        equal((await post(target, await delivery(EVENT), '/own-answer')).status, 202),
    },
    {
      name: 'a body parser of Express in front is answered, and told to the owner',
      run: (target) => checkLost(target, '/express-json', 'body_not_raw', ADVICE),
    },
    {
      name: 'the middleware before can still change the answer',
      async run(target) {
        for (const body of [EVENT, `${EVENT} `]) {
          const response = await post(target, { ...(await delivery(EVENT)), body })
          equal(response.headers.get('x-middleware-before'), 'ran')
        }
      },
    },
  ],
})

testPage('docs/start/koa.md')
