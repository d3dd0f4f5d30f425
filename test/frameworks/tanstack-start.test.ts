import { useApp } from './apps.ts'
import { describeFramework } from './harness.ts'

// The build is a web-standard server, which srvx puts on a socket.
const app = useApp({
  folder: 'tanstack-start',
  pages: { 'src/routes/webhook.ts': 'docs/start/tanstack-start.md' },
  types: {
    files: ['src/routeTree.gen.ts', '../../node_modules/@tanstack/react-start/dist/esm/index.d.ts'],
  },
  build: ['vite/bin/vite.js', 'build'],
  serve: ['srvx/bin/srvx.mjs', 'serve', '--prod', '--entry', 'dist/server/server.js'],
})

describeFramework({
  name: 'TanStack Start',
  program: app.program(),
  parsers: { large: true, read: { code: 'body_already_read', advice: /read/u } },
})

// A method that no handler is for gets the page, which is empty here.
app.testPage('docs/start/tanstack-start.md', '/webhook', { put: 200 })
