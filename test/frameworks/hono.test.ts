import { testPage } from './expect-page.ts'
import { describeFramework } from './harness.ts'
import { inBun, inDeno, inWorkerd } from './runtimes.ts'

const parsers = {
  large: true,
  kept: ['/kept/json', '/kept/text', '/kept/arrayBuffer'],
  parsed: { code: 'body_already_read', advice: /before whatever reads/u },
  read: { code: 'body_already_read', advice: /before whatever reads/u },
} as const

describeFramework({ name: 'Hono 4 on Node', program: 'hono.js', parsers })
describeFramework({ name: 'Hono 4 on Bun', program: inBun('hono-bun.js'), parsers })
describeFramework({
  name: 'Hono 4 on Deno',
  program: inDeno('hono-deno.js'),
  parsers,
})

describeFramework({
  name: 'Hono 4 on workerd',
  program: inWorkerd('hono-workerd.js'),
  parsers,
})

testPage('docs/start/hono.md')
