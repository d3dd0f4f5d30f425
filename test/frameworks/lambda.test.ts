import { fileURLToPath } from 'node:url'
import type { Check } from '../adapters/contract.ts'
import { deliver, record, same } from './checks.ts'
import { describeFramework } from './harness.ts'

const PROGRAM = fileURLToPath(new URL('servers/lambda.js', import.meta.url))

const WHOLE = 'the platform calls the function once the body is whole'
const COLLECTED = {
  'a wrong header is refused before the body has come': WHOLE,
  'a stale signature is refused before the body has come': WHOLE,
  'an endless body is cut at the largest size': 'the platform has a limit of its own',
}
const FAILED = 'a failed invocation is answered by the platform, with 502'
const ANSWERED_WITH_502 = {
  'a handler that throws is answered with 500, without a word of its error': FAILED,
  'an onRejected that throws is answered with 500, without a word of its error': FAILED,
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

const failure = (status: number): Check => ({
  name: `a failed invocation is answered with ${status}, and the owner is told`,
  async run(target) {
    same((await deliver(target, '/parsed')).status, status)
    same(
      (await record(target)).map(({ failed }) => failed),
      ['body_not_raw'],
    )
  },
})

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
    more: source === 'rest-binary' ? [] : [failure(502)],
  })
}
