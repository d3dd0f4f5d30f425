import { fileURLToPath } from 'node:url'
import { PARSED } from '../adapters/contract.ts'
import { NODE, testPage } from './expect-page.ts'
import { bodyFirst, describeFramework } from './harness.ts'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const FRAMEWORK = [
  ...NODE,
  path('node_modules/@google-cloud/functions-framework/build/src/main.js'),
  '--port=0',
] as const
const ADVICE = /the platform's own request, whose rawBody/u

describeFramework({
  name: 'the Functions Framework of Google Cloud',
  program: [...FRAMEWORK, '--target=contract', `--source=${path('servers/gcp.js')}`],
  parsers: {
    large: true,
    kept: true,
    parsed: { code: 'body_not_raw', advice: ADVICE },
    read: { code: 'body_already_read', advice: ADVICE },
  },
  exempt: {
    ...bodyFirst('the framework reads a body before it calls a function'),
    'a compressed body is the bytes that came: they are signed, and are no JSON':
      'the framework unpacks it; see below',
  },
  more: [PARSED.unpacked('')],
})

/** The file that the framework loads when it is told of none. */
const file = 'function.js'
testPage('docs/start/gcp.md', { command: [...FRAMEWORK, '--target=webhook'], file })
testPage('docs/start/firebase.md', { command: [...FRAMEWORK, '--target=payments'], file })
