import { fail } from '../core/errors.ts'
import { nodeHttp } from './node-modules.ts'
import { sleep } from './timers.ts'
import { pieces, type Reply, type Transfer, type Wire } from './wire.ts'

declare const URL: {
  new (url: string): ParsedUrl
  canParse(url: string): boolean
}
interface ParsedUrl {
  readonly protocol: string
  readonly hostname: string
  readonly username: string
  readonly password: string
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u

/**
 * The host of a URL that deliveries may go to: this machine, or the one that is named. Redirects are
 * not followed, so they lead nowhere else.
 */
export function checkUrl(
  url: string,
  allowHost: string | undefined,
): { readonly isLoopback: boolean } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/u.test(parsed.protocol)) {
    fail('testing_invalid', 'target must be an http or https URL, a function, or a process')
  }
  if (parsed.username !== '' || parsed.password !== '') {
    fail('testing_invalid', 'target must be a URL without user name and password')
  }
  const isLoopback = LOOPBACK.test(parsed.hostname)
  if (!isLoopback && parsed.hostname !== allowHost) {
    fail(
      'testing_invalid',
      `deliveries go to this machine alone; to send them to ${parsed.hostname}, name it as allowHost`,
    )
  }
  return { isLoopback }
}

export function byUrl(url: string): Wire {
  return (transfer) =>
    new Promise((resolve) => {
      const { headers, body, abandoned } = transfer
      const request = nodeHttp(url.startsWith('https:')).request(url, {
        method: 'POST',
        // A connection of its own: a kept one may be closed at the moment it is used.
        agent: false,
        headers: { ...headers, 'Content-Length': String(body.length), Connection: 'close' },
      })
      request.on('response', (response) => {
        // The status is what counts, whatever becomes of the rest.
        response.on('error', () => {})
        response.resume()
        resolve({ kind: 'status', status: response.statusCode })
      })
      request.on('error', ({ code }) => resolve({ kind: replyTo(code) }))
      abandoned.then(() => request.destroy())
      write(request, transfer).catch(() => resolve({ kind: 'broken' }))
    })
}

async function write(
  request: ReturnType<ReturnType<typeof nodeHttp>['request']>,
  { body, fault }: Transfer,
): Promise<void> {
  if (fault === undefined) {
    request.end(body)
    return
  }
  const all = pieces(body)
  for (const [index, piece] of all.entries()) {
    if (fault === 'cut' && index >= all.length / 2) {
      request.destroy()
      return
    }
    request.write(piece)
    await sleep(20)
  }
  request.end()
}

function replyTo(code: string | undefined): Extract<Reply['kind'], 'refused' | 'broken'> {
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' ? 'refused' : 'broken'
}
