import { expect } from 'vitest'
import { deliver, useApp } from './apps.ts'
import { describeFramework } from './harness.ts'

const app = {
  folder: 'astro',
  pages: { 'src/pages/webhook.ts': 'docs/start/astro.md' },
  build: ['astro/astro.js', 'build'],
  serve: ['./dist/server/entry.mjs'],
} as const

const open = useApp({
  ...app,
  variant: { name: 'from-anywhere', env: ['FORMS=from-anywhere'] },
})

describeFramework({
  name: 'Astro',
  program: open.program(),
  parsers: { large: true, read: { code: 'body_already_read', advice: /read/u } },
})

const created = useApp(app)

// PUT without a type of its own counts as a form.
created.testPage('docs/start/astro.md', '/webhook', { put: 403 })

created.test('Astro refuses forms and what has no type, unless told otherwise', async ({ url }) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', null]) {
    expect((await deliver(`${url}/webhook`, type)).status).toBe(403)
  }
})

created.test('a route that was prerendered is never called again', async ({ url }) => {
  expect((await deliver(`${url}/forgotten/post`, 'application/json')).status).toBe(404)
  expect((await deliver(`${url}/forgotten/get`, 'application/json')).status).toBe(200)
})
