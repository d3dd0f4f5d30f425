import { useApp } from './apps.ts'
import { describeFramework } from './harness.ts'
import { typed, variants } from './variants.ts'

const build = ['vite/bin/vite.js', 'build'] as const
const serve = ['./build/index.js'] as const

const app = useApp({
  folder: 'sveltekit',
  variant: { name: 'from-anywhere', env: 'FORMS=from-anywhere' },
  pages: { 'src/routes/webhook/+server.ts': 'docs/start/sveltekit.md' },
  build,
  serve,
  settings: ['BODY_SIZE_LIMIT=2M'],
})

const why = 'adapter-node takes a request without a Content-Type for one without a body'
const untyped = {
  'an empty path, a query and a content type of any kind do not matter': why,
  'body_not_utf8 is answered with 422 and its stage, once onRejected has returned': why,
  'header names in any case are read': why,
  'two signature lines that make one header are accepted': why,
  'a chunked body is read, even if a chunk ends inside a character': why,
  'a client that waits for 100 Continue gets it, then its answer': why,
  'an endless body is cut at the largest size': why,
  'a client that goes away in the middle of its body is not believed, and harms nobody': why,
}

describeFramework({
  name: 'SvelteKit',
  program: app.program(),
  parsers: { large: true, read: { code: 'body_already_read', advice: /read/u } },
  exempt: untyped,
  more: variants(untyped, 'typed', typed),
})

app.testPage('docs/start/sveltekit.md', '/webhook')
