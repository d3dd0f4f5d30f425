import { useApp } from './apps.ts'
import { describeFramework } from './harness.ts'

const app = useApp({
  folder: 'nitro',
  pages: { 'server/routes/webhook.post.ts': 'docs/start/nitro.md' },
  types: { files: ['.nitro/types/nitro-imports.d.ts'] },
  build: ['nitropack/dist/cli/index.mjs', 'build'],
  serve: ['./.output/server/index.mjs'],
})

describeFramework({
  name: 'Nitro 2',
  program: app.program(),
  parsers: { large: true, kept: true, read: { code: 'body_already_read', advice: /h3/u } },
})

app.testPage('docs/start/nitro.md', '/webhook')
