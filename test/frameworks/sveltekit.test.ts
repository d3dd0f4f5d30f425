import { expect } from 'vitest'
import { deliver, useApp } from './apps.ts'
import { PAID } from './expect-page.ts'
import { describeFramework } from './harness.ts'
import { typed, variants } from './variants.ts'

const app = {
  folder: 'sveltekit',
  pages: { 'src/routes/webhook/+server.ts': 'docs/start/sveltekit.md' },
  types: { files: ['.svelte-kit/ambient.d.ts'], roots: ['.svelte-kit/types'] },
  build: ['vite/bin/vite.js', 'build'],
  serve: ['./build/index.js'],
} as const

const open = useApp({
  ...app,
  variant: { name: 'from-anywhere', env: ['FORMS=from-anywhere'] },
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
  program: open.program(),
  parsers: { large: true, read: { code: 'body_already_read', advice: /read/u } },
  exempt: untyped,
  more: variants(untyped, 'typed', typed),
})

const created = useApp(app)

// PUT without a type of its own counts as a form.
created.testPage('docs/start/sveltekit.md', '/webhook', { put: 403 })

created.test('SvelteKit refuses forms, unless told otherwise', async ({ url }) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    expect((await deliver(`${url}/webhook`, type)).status).toBe(403)
  }
})

created.test('adapter-node drops a body that has no type', async ({ url, errors }) => {
  expect((await deliver(`${url}/webhook`, null)).status).toBe(401)
  await expect.poll(errors).toContain('signature_mismatch')
})

created.test('adapter-node breaks off a body of more than 512 kB', async ({ url, errors }) => {
  const body = PAID.replace('"inv_1"', `"inv_1","fill":"${'x'.repeat(600_000)}"`)
  expect((await deliver(`${url}/webhook`, 'application/json', body)).status).toBe(400)
  await expect.poll(errors).toContain('body_incomplete')
})

created.test('SvelteKit redirects from a trailing slash', async ({ url }) => {
  expect((await deliver(`${url}/webhook/`, 'application/json')).status).toBe(308)
})
