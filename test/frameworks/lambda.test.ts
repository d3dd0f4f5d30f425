import { fileURLToPath } from 'node:url'
import type { Check } from '../adapters/contract.ts'
import { deliver, record, same } from './checks.ts'
import { testPage } from './expect-page.ts'
import { bodyFirst, describeFramework } from './harness.ts'

const at = (file: string) => fileURLToPath(new URL(`servers/${file}`, import.meta.url))
const PROGRAM = at('lambda.js')

const COLLECTED = bodyFirst('the platform calls the function once the body is whole')

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
  ['rest', 'a REST API', AS_TEXT],
  ['rest-binary', 'a REST API with binaryMediaTypes', {}],
  ['url', 'a function URL', {}],
  ['balancer', 'a load balancer', ONE_LINE],
  ['balancer-multi', 'a load balancer with multi-value headers', {}],
] as const) {
  describeFramework({
    name: `Lambda behind ${name}`,
    program: [process.execPath, PROGRAM, source],
    parsers: { large: true },
    exempt: { ...COLLECTED, ...exempt },
    more: source === 'rest-binary' ? [] : [FAILURE],
  })
}

testPage('docs/start/lambda.md', { command: [process.execPath, at('lambda-file.js')] })
