import { useApp } from './apps.ts'
import { describeFramework } from './harness.ts'

const app = useApp({
  folder: 'astro',
  variant: { name: 'from-anywhere', env: 'FORMS=from-anywhere' },
  pages: { 'src/pages/webhook.ts': 'docs/start/astro.md' },
  build: ['astro/astro.js', 'build'],
  serve: ['./dist/server/entry.mjs'],
})

describeFramework({
  name: 'Astro',
  program: app.program(),
  parsers: { large: true, read: { code: 'body_already_read', advice: /read/u } },
})

app.testPage('docs/start/astro.md', '/webhook', { put: 404 })
