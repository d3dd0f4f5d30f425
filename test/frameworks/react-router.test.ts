import { expect } from 'vitest'
import { CHECKS } from '../adapters/contract.ts'
import { useApp } from './apps.ts'
import { describeFramework } from './harness.ts'
import { variants, withoutCharset } from './variants.ts'

const app = useApp({
  folder: 'react-router',
  pages: { 'app/routes/webhook.ts': 'docs/start/react-router.md' },
  build: ['@react-router/dev/bin.js', 'build'],
  serve: ['@react-router/serve/bin.js', './build/server/index.js'],
})

const charset = Object.fromEntries(
  CHECKS.filter(({ name }) => name.endsWith('once onRejected has returned')).map(({ name }) => [
    name,
    'react-router-serve adds a charset to JSON',
  ]),
)

describeFramework({
  name: 'React Router',
  program: app.program(),
  parsers: { large: true, read: { code: 'body_already_read', advice: /read/u } },
  exempt: charset,
  more: variants(charset, 'without it', withoutCharset),
})

app.testPage('docs/start/react-router.md', '/webhook')

app.test(
  'React Router has no answer to GET but 400 where a route has an action alone',
  async ({ url }) => {
    expect((await fetch(`${url}/webhook`)).status).toBe(400)
  },
)
