import { PARSED } from '../adapters/contract.ts'
import { testPage } from './expect-page.ts'
import { describeFramework } from './harness.ts'

const advice = /before whatever reads/u
const parsed = { code: 'body_not_raw', advice } as const
const read = { code: 'body_already_read', advice } as const

describeFramework({
  name: 'h3 2',
  program: 'h3.js',
  parsers: { large: true, read },
})

describeFramework({
  name: 'h3 1',
  program: 'h3-v1.js',
  parsers: { large: true, kept: ['/kept', '/buffer'], parsed, read },
  more: [PARSED.half],
})

describeFramework({
  name: 'h3 1 without a server of Node',
  program: 'h3-v1-web.js',
  parsers: { large: true, kept: ['/kept/buffer', '/kept/text'], parsed, read },
})

testPage('docs/start/h3.md')
