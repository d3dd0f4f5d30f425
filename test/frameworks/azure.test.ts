import { fileURLToPath } from 'node:url'
import { describeFramework } from './harness.ts'

const PROGRAM = fileURLToPath(new URL('servers/azure.js', import.meta.url))
const parsers = {
  large: true,
  read: { code: 'body_already_read', advice: /verify first/u },
} as const

const WHOLE = 'the host calls the function once the body is whole'

describeFramework({
  name: 'Azure Functions 4',
  program: [process.execPath, PROGRAM],
  parsers,
  exempt: {
    'a wrong header is refused before the body has come': WHOLE,
    'a stale signature is refused before the body has come': WHOLE,
    'an endless body is cut at the largest size': 'the host has a limit of its own',
  },
})

describeFramework({
  name: 'Azure Functions 4 with streams',
  program: [process.execPath, PROGRAM, 'stream'],
  parsers,
})
