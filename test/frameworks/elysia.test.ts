import { testPage } from './expect-page.ts'
import { describeFramework } from './harness.ts'
import { BUN, inBun } from './runtimes.ts'

const parsers = {
  large: true,
  kept: ['/kept/buffer', '/kept/text'],
  parsed: { code: 'body_not_raw', advice: /parse: 'none'/u },
  read: { code: 'body_already_read', advice: /parse: 'none'/u },
} as const

describeFramework({
  name: 'Elysia 1 on Bun',
  program: inBun('elysia-bun.js'),
  parsers,
})
describeFramework({ name: 'Elysia 1 on Node', program: 'elysia-node.js', parsers })

testPage('docs/start/elysia.md', { command: [BUN], file: 'receive.ts' })
