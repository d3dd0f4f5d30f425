import { fileURLToPath } from 'node:url'
import type { Check, Target } from '../adapters/contract.ts'
import { deliver, record, same } from './checks.ts'
import { testPage } from './expect-page.ts'
import { bodyFirst, describeFramework } from './harness.ts'
import { variants } from './variants.ts'

const at = (file: string) => fileURLToPath(new URL(`servers/${file}`, import.meta.url))
const PROGRAM = at('lambda.js')

const COLLECTED = bodyFirst('the platform calls the function once the body is whole')
const FAILED = 'a failed invocation is answered by the platform, with 502'
const ANSWERED_WITH_502 = {
  'a handler that throws is answered with 500, without a word of its error': FAILED,
  'an onRejected that throws is answered with 500, without a word of its error': FAILED,
}

/** As if the platform answered a failed invocation with the other status. */
function with500For502(target: Target): Target {
  const status = new Map([
    [502, 500],
    [500, 502],
  ])
  return {
    ...target,
    async fetch(url, init) {
      const response = await target.fetch(url, init)
      const other = status.get(response.status)
      return other === undefined ? response : new Response(response.body, { status: other })
    },
  }
}

const LOST = 'without binaryMediaTypes, bytes that are no UTF-8 do not reach the function'
const AS_TEXT = {
  'a compressed body is the bytes that came: they are signed, and are no JSON': LOST,
  'body_not_utf8 is answered with 422 and its stage, once onRejected has returned': LOST,
}
const LAST = 'without multi-value headers, of two lines the last alone reaches the function'
const ONE_LINE = {
  'two signature lines are joined, so that two whole ones are refused': LAST,
  'two signature lines that make one header are accepted': LAST,
}

describeFramework({
  name: 'Lambda behind an HTTP API',
  program: [process.execPath, PROGRAM, 'http'],
  parsers: { large: true, parsed: { code: 'body_not_raw', advice: /middleware that parses/u } },
  exempt: COLLECTED,
})

const FAILURE: Check = {
  name: 'a body that middleware has parsed fails the invocation, and the owner is told',
  async run(target) {
    same((await deliver(target, '/parsed')).status, 502)
    same(
      (await record(target)).map(({ failed }) => failed),
      ['body_not_raw'],
    )
  },
}

for (const [source, name, exempt] of [
  ['rest', 'a REST API', { ...ANSWERED_WITH_502, ...AS_TEXT }],
  ['rest-binary', 'a REST API with binaryMediaTypes', ANSWERED_WITH_502],
  ['url', 'a function URL', ANSWERED_WITH_502],
  ['balancer', 'a load balancer', { ...ANSWERED_WITH_502, ...ONE_LINE }],
  ['balancer-multi', 'a load balancer with multi-value headers', ANSWERED_WITH_502],
] as const) {
  describeFramework({
    name: `Lambda behind ${name}`,
    program: [process.execPath, PROGRAM, source],
    parsers: { large: true },
    exempt: { ...COLLECTED, ...exempt },
    more: [
      ...variants(ANSWERED_WITH_502, 'with 502', with500For502),
      ...(source === 'rest-binary' ? [] : [FAILURE]),
    ],
  })
}

testPage('docs/start/lambda.md', { command: [process.execPath, at('lambda-file.js')] })
