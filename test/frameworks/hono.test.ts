import { describeFramework } from './harness.ts'

const parsers = {
  large: true,
  kept: ['/kept/json', '/kept/text', '/kept/arrayBuffer'],
  parsed: { code: 'body_already_read', advice: /before whatever reads/u },
  read: { code: 'body_already_read', advice: /before whatever reads/u },
} as const

describeFramework({ name: 'Hono 4', program: 'hono.js', parsers })
