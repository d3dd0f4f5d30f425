import { UNREAD } from './checks.ts'
import { describeFramework } from './harness.ts'

describeFramework({
  name: 'h3 2',
  program: 'h3.js',
  parsers: { large: true, read: { code: 'body_already_read', advice: /before whatever reads/u } },
  more: [UNREAD],
})

describeFramework({
  name: 'h3 1',
  program: 'h3-v1.js',
  parsers: {
    large: true,
    kept: ['/kept', '/buffer'],
    parsed: { code: 'body_not_raw', advice: /before whatever reads/u },
    read: { code: 'body_already_read', advice: /before whatever reads/u },
  },
})
