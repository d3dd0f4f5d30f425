import { fileURLToPath } from 'node:url'
import { checkLost, PARSED, UNREAD } from '../adapters/contract.ts'
import { testPage } from './expect-page.ts'
import { bodyFirst, describeFramework, type Framework } from './harness.ts'

const FILE = fileURLToPath(new URL('servers/nest.js', import.meta.url))
const CONTROLLER = fileURLToPath(new URL('servers/nest-file.js', import.meta.url))
const program = (platform: string, shape: string) =>
  [process.execPath, FILE, platform, shape] as const

const ADVICE = /app\.use\(.*rawBody: true.*bodyParser: false/u

const USED: Omit<Framework, 'name' | 'program'> = {
  parsers: {
    large: true,
    parsed: { code: 'body_not_raw', advice: ADVICE },
    read: { code: 'body_already_read', advice: ADVICE },
  },
  more: [
    PARSED.half,
    {
      name: 'a body parser of Express in front is answered, and told to the owner',
      run: (target) => checkLost(target, '/express-json', 'body_not_raw', ADVICE),
    },
  ],
}

const PACKED = 'a compressed body is the bytes that came: they are signed, and are no JSON'

describeFramework({
  ...USED,
  name: 'Nest 11 on Express, by app.use()',
  program: program('express', 'use'),
})
describeFramework({
  ...USED,
  name: 'Nest 11 on Fastify, by app.use()',
  program: program('fastify', 'use'),
})

describeFramework({
  name: 'Nest 11 on Express, in a controller',
  program: program('express', 'controller'),
  parsers: { kept: ['/kept', '/middleware'] },
  exempt: { [PACKED]: 'the JSON parser of Express unpacks it' },
  more: [PARSED.unpacked('')],
})
describeFramework({
  name: 'Nest 11 on Fastify, in a controller',
  program: program('fastify', 'controller'),
  parsers: { kept: ['/kept', '/middleware'] },
  exempt: {
    ...bodyFirst('Fastify reads a body before it calls a controller'),
    [PACKED]: 'the JSON parser of Fastify refuses it with 400',
    [UNREAD.name]: 'Fastify refuses more than 1 MiB with 413',
    'an empty path, a query and a content type of any kind do not matter':
      'Fastify refuses what is no media type with 415',
  },
})

// As `nest new` has it, and as a module of ECMAScript.
testPage('docs/start/nest.md', { file: 'main.cjs' })
testPage('docs/start/nest.md')
testPage('docs/start/nest.md', { index: 1, command: [process.execPath, CONTROLLER] })
