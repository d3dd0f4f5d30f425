import { fileURLToPath } from 'node:url'
import { CHECKS } from '../adapters/contract.ts'
import { http2Fetch } from '../adapters/http2-fetch.ts'
import { BODY } from '../fixtures.ts'
import { deliver, record, same } from './checks.ts'
import { testPage } from './expect-page.ts'
import { describeFramework } from './harness.ts'

const parsers = {
  large: true,
  kept: [
    '/kept',
    '/kept/by-a-plugin',
    '/kept/as-a-buffer',
    '/kept/unread',
    '/kept/by-pre-parsing',
    '/kept/by-middleware',
  ],
  parsed: { code: 'body_not_raw', advice: /all that webhook\(\) returns/u },
  read: { code: 'body_already_read', advice: /let no hook/u },
} as const

describeFramework({
  name: 'Fastify 5',
  program: 'fastify.js',
  parsers,
  more: [
    {
      name: 'other routes of the same app keep their parsers',
      async run({ url, fetch }) {
        const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } }
        const response = await fetch(`${url}/json`, { ...init, body: '{ "a": 1 }' })
        same(await response.json(), { a: 1 })
      },
    },
    {
      name: 'a body parser of Express in front is answered, and told to the owner',
      async run(target) {
        same((await deliver(target, '/middleware')).status, 500)
        same(
          (await record(target)).map(({ failed }) => failed),
          ['body_already_read'],
        )
      },
    },
    {
      name: 'hooks of the app run, and change the answer',
      async run(target) {
        const response = await deliver(target, '/hooks')
        same([response.status, response.headers.get('x-hooks')], [204, 'preHandler, onSend'])
      },
    },
    {
      name: 'a handler that has answered by itself is left alone',
      async run(target) {
        const response = await deliver(target, '/own-answer')
        same([response.status, await response.text()], [202, `application/json ${BODY.length}`])
      },
    },
    {
      name: 'inject() delivers as a socket does',
      async run({ url, fetch }) {
        same(await (await fetch(`${url}/inject`)).json(), [204, 401])
      },
    },
  ],
})

const RAW = CHECKS.filter(({ raw }) => raw).map(({ name }) => [name, 'it writes HTTP/1.1'])

describeFramework({
  name: 'Fastify 5 over HTTP/2',
  program: [
    process.execPath,
    fileURLToPath(new URL('servers/fastify.js', import.meta.url)),
    'http2',
  ],
  parsers,
  target: (url) => ({ url, fetch: http2Fetch }),
  exempt: Object.fromEntries(RAW),
})

testPage('docs/start/fastify.md')
