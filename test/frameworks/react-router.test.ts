import { useApp } from './apps.ts'
import { describeFramework } from './harness.ts'

const app = useApp({
  folder: 'react-router',
  pages: { 'app/routes/webhook.ts': 'docs/start/react-router.md' },
  build: ['@react-router/dev/bin.js', 'build'],
  serve: ['@react-router/serve/bin.js', './build/server/index.js'],
})

describeFramework({
  name: 'React Router',
  program: app.program(),
  parsers: { large: true, read: { code: 'body_already_read', advice: /read/u } },
})

app.testPage('docs/start/react-router.md', '/webhook')
