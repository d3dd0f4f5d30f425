// One process of a shop: a receiver on a socket, a worker, or both. It tells on its output what becomes
// of each delivery, and can stop at a named point, so that a test kills it exactly there.
import { writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { webhook } from '../../../dist/adapters/node.js'
import { createInbox } from '../../../dist/inbox/index.js'
import { bookingHandler, openShop } from './shop.js'

/**
 * @typedef {{
 *   shop: import('./shop.js').ShopSpec,
 *   receives?: { secret: string, now: number },
 *   works?: boolean,
 *   guarded?: boolean,
 *   fails?: boolean,
 *   stopAt?: string,
 *   resumes?: boolean,
 *   options?: object,
 * }} ProcessSpec `resumes`: a line on its input lets it go on from the point
 */

/** @type {ProcessSpec} */
const spec = JSON.parse(process.argv[2] ?? '{}')
const { receives, works, guarded, fails, stopAt, resumes, options } = spec
const say = (line) => writeSync(1, `${line}\n`)

/** Stops for good, the whole of it, unless a line on the input lets it go on. */
function reach(point) {
  if (point !== stopAt) return undefined
  say(`at ${point}`)
  if (resumes) return new Promise((resume) => process.stdin.once('data', resume))
  return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const shop = await openShop(spec.shop)
const { store } = shop
/** The store, with a point on either side of what a process may die at. */
const watched = {
  ...store,
  async record(...order) {
    reach('before the insert')
    const recording = store.record(...order)
    if (stopAt === 'insert sent') {
      // Between not yet begun and committed, wherever that is.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4))
      reach('insert sent')
    }
    const result = await recording
    reach('inserted')
    return result
  },
  async claim(order) {
    const claims = await store.claim(order)
    if (claims.length > 0) reach('claimed')
    return claims
  },
  async settle(...order) {
    const result = await store.settle(...order)
    reach('settled')
    return result
  },
  async giveBack(...order) {
    reach('before the give-back')
    return store.giveBack(...order)
  },
}
const inbox = createInbox({
  store: watched,
  handlers: {
    'invoice.paid': bookingHandler(shop, { guarded, reach, fails: fails ? () => true : undefined }),
  },
  pollMs: 20,
  backoff: () => 0,
  onSignal: (signal) => {
    if (signal.kind === 'process') say(`${signal.outcome} ${signal.delivery.id}`)
    if (signal.kind === 'store_failure') say(`failed to ${signal.operation}`)
  },
  ...options,
})
if (works) inbox.start()
if (receives) {
  const { secret, now } = receives
  const receive = webhook({ secret, now: () => now, inbox })
  const server = createServer((request, response) => {
    response.once('finish', () => reach('answered'))
    return receive(request, response)
  })
  server.listen(0, '127.0.0.1', () => say(`listening on http://127.0.0.1:${server.address().port}`))
} else {
  say('ready')
}
