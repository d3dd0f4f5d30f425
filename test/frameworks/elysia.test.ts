import { fileURLToPath } from 'node:url'
import { describeFramework } from './harness.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const BUN = at('../runtimes/node_modules/@oven/bun-linux-x64/bin/bun')

const parsers = {
  large: true,
  kept: ['/kept/buffer', '/kept/text'],
  parsed: { code: 'body_not_raw', advice: /parse: 'none'/u },
  read: { code: 'body_already_read', advice: /parse: 'none'/u },
} as const

describeFramework({ name: 'Elysia 1 on Bun', program: [BUN, at('servers/elysia-bun.js')], parsers })
describeFramework({ name: 'Elysia 1 on Node', program: 'elysia-node.js', parsers })
