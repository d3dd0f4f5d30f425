import { describeFramework } from './harness.ts'

describeFramework({
  name: 'Express 5',
  program: 'express.js',
  parsers: { large: true, kept: true, parsed: { code: 'body_not_raw', advice: /raw/u } },
})
