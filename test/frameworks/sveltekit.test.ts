import { PARSED } from '../adapters/contract.ts'
import { useApp } from './apps.ts'
import { describeFramework } from './harness.ts'
import { typedChecks } from './typed.ts'

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

const untyped = 'adapter-node takes a request without a Content-Type for one without a body'
const exempt = {
  [PARSED.large.name]:
    'adapter-node reads no further for the next request on the connection of a large body that was refused: checked as the last',
  'an empty path, a query and a content type of any kind do not matter': untyped,
  'body_not_utf8 is answered with 422 and its stage, once onRejected has returned': untyped,
  'header names in any case are read': untyped,
  'two signature lines that make one header are accepted': untyped,
  'a chunked body is read, even if a chunk ends inside a character': untyped,
  'a client that waits for 100 Continue gets it, then its answer': untyped,
  'an endless body is cut at the largest size': untyped,
  'a client that goes away in the middle of its body is not believed, and harms nobody': untyped,
}

describeFramework({
  name: 'SvelteKit',
  program: app.program(),
  parsers: { large: true, read: { code: 'body_already_read', advice: /read/u } },
  exempt,
  more: [...typedChecks(exempt), { ...PARSED.large, name: 'a large body, as the last' }],
})

app.testPage('docs/start/sveltekit.md', '/webhook')
