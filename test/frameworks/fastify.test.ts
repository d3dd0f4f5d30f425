import { describeFramework } from './harness.ts'

describeFramework({
  name: 'Fastify 5',
  program: 'fastify.js',
  parsers: {
    large: true,
    kept: [
      '/kept',
      '/kept/by-a-plugin',
      '/kept/as-a-buffer',
      '/kept/unread',
      '/kept/by-pre-parsing',
    ],
    parsed: { code: 'body_not_raw', advice: /all that webhook\(\) returns/u },
    read: { code: 'body_already_read', advice: /let no hook/u },
  },
})
