import { expect } from 'vitest'
import { deliver, useApp } from './apps.ts'

const app = useApp({
  folder: 'netlify',
  pages: { 'netlify/functions/webhook.ts': 'docs/start/netlify.md' },
  serve: ['./serve.js'],
})

app.testPage('docs/start/netlify.md', '/webhook', { put: 404, tells: true })

app.test('the local emulation changes a body that has no type', async ({ url, errors }) => {
  expect((await deliver(`${url}/webhook`, null)).status).toBe(401)
  await expect.poll(errors).toContain('signature_mismatch')
})
