import { useApp } from './apps.ts'

const app = useApp({
  folder: 'netlify',
  pages: { 'netlify/functions/webhook.ts': 'docs/start/netlify.md' },
  serve: ['./serve.js'],
})

app.testPage('docs/start/netlify.md', '/webhook', { put: 404 })
