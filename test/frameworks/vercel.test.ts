import { useApp } from './apps.ts'
import { bodyFirst, describeFramework } from './harness.ts'

// Vercel's own development server runs one function; its entry is named where `vercel dev` would
// find it by its path.
const contract = useApp({ folder: 'vercel', serve: ['./serve.js', 'api/contract.js'] })

const refused = 'the development server sends such a request on in a form that it refuses itself'

describeFramework({
  name: 'Vercel Functions',
  program: contract.program(),
  parsers: { large: true, read: { code: 'body_already_read', advice: /read/u } },
  exempt: {
    ...bodyFirst('the development server reads a body before it calls a function'),
    'a chunked body is read, even if a chunk ends inside a character': refused,
    'a client that waits for 100 Continue gets it, then its answer': refused,
  },
})

const page = useApp({
  folder: 'vercel',
  variant: { name: 'page' },
  pages: { 'api/webhook.ts': 'docs/start/vercel.md' },
  serve: ['./serve.js', 'api/webhook.ts'],
})

page.testPage('docs/start/vercel.md', '/api/webhook', { tells: true })
