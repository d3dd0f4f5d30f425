import { fileURLToPath } from 'node:url'
import type { Target } from '../adapters/contract.ts'
import { testPage } from './expect-page.ts'
import { bodyFirst, describeFramework } from './harness.ts'
import { variants } from './variants.ts'

const at = (file: string) => fileURLToPath(new URL(`servers/${file}`, import.meta.url))
const parsers = {
  large: true,
  read: { code: 'body_already_read', advice: /verify first/u },
} as const

describeFramework({
  name: 'Azure Functions 4',
  program: [process.execPath, at('azure.js')],
  parsers,
  exempt: bodyFirst('the host calls the function once the body is whole'),
})

const CUT = {
  'an endless body is cut at the largest size':
    'the library closes the connection with the body, which may take the answer with it',
}

/** As where a server closes while more is on its way: an answer that is lost counts as given. */
function withoutLost(target: Target): Target {
  return {
    ...target,
    async raw(...args) {
      const answer = (await target.raw?.(...args)) ?? ''
      return answer.startsWith('HTTP/1.1 500 ') ? '' : answer
    },
  }
}

describeFramework({
  name: 'Azure Functions 4 with streams',
  program: [process.execPath, at('azure.js'), 'stream'],
  parsers,
  exempt: CUT,
  more: variants(CUT, 'or the host answers', withoutLost),
})

testPage('docs/start/azure.md', {
  path: '/api/webhook',
  command: [process.execPath, at('azure-file.js')],
  put: 404,
})
