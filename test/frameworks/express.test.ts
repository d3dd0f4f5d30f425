import { fileURLToPath } from 'node:url'
import {
  type Check,
  checkLost,
  delivery,
  EVENT,
  equal,
  PARSED,
  post,
  withType,
} from '../adapters/contract.ts'
import { testPage } from './expect-page.ts'
import { describeFramework, type Framework } from './harness.ts'

const FILE = fileURLToPath(new URL('servers/express.js', import.meta.url))
const ADVICE = /before app\.use\(express\.json\(\)\).*verify.*req\.rawBody/u

/** What is Express's own. */
const MORE: readonly Check[] = [
  {
    name: 'a raw parser behind the JSON parser comes too late, and the advice says so',
    run: (target) => checkLost(target, '/parsed-first', 'body_not_raw', ADVICE),
  },
  {
    name: 'a media type that the JSON parser leaves alone is read behind it',
    async run(target) {
      for (const type of ['application/vnd.acme+json', 'text/plain']) {
        const { status } = await post(target, withType(await delivery(EVENT), type), '/parsed')
        equal(status, 204)
      }
    },
  },
  PARSED.unpacked('/kept'),
]

const COMMON: Omit<Framework, 'name' | 'program'> = {
  parsers: {
    large: true,
    kept: ['/kept', '/raw', '/text'],
    parsed: { code: 'body_not_raw', advice: ADVICE },
    read: { code: 'body_already_read', advice: ADVICE },
  },
  more: MORE,
}

describeFramework({ ...COMMON, name: 'Express 5', program: 'express.js' })
describeFramework({ ...COMMON, name: 'Express 4', program: [process.execPath, FILE, 'express4'] })

testPage('docs/start/express.md')
