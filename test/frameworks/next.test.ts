import { expect } from 'vitest'
import { PARSED } from '../adapters/contract.ts'
import { deliver, useApp } from './apps.ts'
import { describeFramework } from './harness.ts'

const app = useApp({
  folder: 'next',
  pages: {
    'app/webhook/route.ts': 'docs/start/next-app.md',
    'pages/api/webhook.ts': 'docs/start/next.md',
  },
  build: ['next/dist/bin/next', 'build'],
  serve: ['next/dist/bin/next', 'start', '--hostname', '127.0.0.1'],
})

describeFramework({
  name: 'Next App Router',
  program: app.program(),
  parsers: {
    large: true,
    // What a proxy reads is a copy.
    kept: ['/copied'],
    read: { code: 'body_already_read', advice: /read/u },
  },
})

describeFramework({
  name: 'Next Pages Router',
  program: app.program('localhost'),
  parsers: {
    large: true,
    kept: ['/copied'],
    parsed: { code: 'body_not_raw', advice: /bodyParser: false/u },
    read: { code: 'body_already_read', advice: /bodyParser: false/u },
  },
  more: [PARSED.half],
})

app.testPage('docs/start/next-app.md', '/webhook')
app.testPage('docs/start/next.md', '/api/webhook')

app.test('Next redirects from a trailing slash', async ({ url }) => {
  for (const path of ['/webhook/', '/api/webhook/']) {
    expect((await deliver(`${url}${path}`, 'application/json')).status).toBe(308)
  }
})
