// hookproof against bare createHmac and stripe-node, interleaved in one process: `npm run bench`.
// With --gate the exit code says whether the ratios hold; a miss is measured again, longer, before it counts.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { paymos } from '../../dist/schemes/paymos.js'
import { createSyncVerifier } from '../../dist/sync.js'
import { measure, ratio } from './harness.js'

const require = createRequire(import.meta.url)
const Stripe = require('stripe')

const SECRET = 'whsec_bench_only_8Jc2vKq0Zp4nR7tXw1yB5d'
const NOW = Math.floor(Date.now() / 1000)
const ring = (make) => {
  const items = Array.from({ length: 64 }, (_, index) => make(index))
  let next = 0
  return () => items[next++ & 63]
}

/** A delivery of about 1 KiB: an event with short fields, as providers send them. */
function delivery(index, secret = SECRET) {
  const event = {
    event_id: `evt_${index}`,
    event_type: 'invoice.paid',
    version: 1,
    occurred_at: NOW,
    data: { invoice_id: `inv_${index}`, status: 'paid', is_final: true, is_test: false, lines: [] },
  }
  while (JSON.stringify(event).length < 980) {
    event.data.lines.push({ sku: `item-${event.data.lines.length}`, amount: '10.00' })
  }
  return sign(Buffer.from(JSON.stringify(event)), secret)
}

/** 1 KiB that costs next to nothing to parse: one JSON string. What is left is the signature check. */
function opaque(index) {
  return sign(Buffer.from(JSON.stringify(String(index).padStart(1022, 'x'))), SECRET)
}

function sign(body, secret) {
  const mac = createHmac('sha256', secret).update(`${NOW}.`).update(body).digest('hex')
  const header = `t=${NOW},v1=${mac}`
  return { body, header, headers: { 'x-webhook-signature': header } }
}

const identity = { ...paymos, decode: (json) => ({ event: json, delivery: NOTHING }) }
const NOTHING = { scheme: 'identity', idSigned: true, type: 'none' }
const stripe = new Stripe('sk_test_unused')
const full = createSyncVerifier({ secret: SECRET })
const signatureOnly = createSyncVerifier({ secret: SECRET, scheme: identity })

const nextOpaque = ring(opaque)
const nextGood = ring((index) => delivery(index))
const nextForged = ring((index) => delivery(index, 'another secret'))

function expect(condition) {
  if (!condition) throw new Error('a benchmark case gave the wrong answer')
}

const CASES = {
  'createHmac alone': () => {
    const { body } = nextOpaque()
    const mac = createHmac('sha256', SECRET).update(`${NOW}.`).update(body).digest('hex')
    expect(mac.length === 64)
  },
  'signature check': () => expect(signatureOnly.verify(nextOpaque()).ok),
  'full verify': () => expect(full.verify(nextGood()).ok),
  'stripe constructEvent': () => {
    const { body, header } = nextGood()
    expect(stripe.webhooks.constructEvent(body, header, SECRET).version === 1)
  },
  refusal: () => expect(full.verify(nextForged()).reason === 'signature_mismatch'),
  'stripe refusal': () => {
    const { body, header } = nextForged()
    let refused = false
    try {
      stripe.webhooks.constructEvent(body, header, SECRET)
    } catch {
      refused = true
    }
    expect(refused)
  },
}

/** name, case, base, whether the ratio must be at most or at least the limit */
const FIGURES = [
  ['signature check / createHmac alone', 'signature check', 'createHmac alone', 'at most', 0.9],
  ['stripe constructEvent / full verify', 'stripe constructEvent', 'full verify', 'at least', 1.4],
  ['stripe refusal / refusal', 'stripe refusal', 'refusal', 'at least', 5],
]

function run(size) {
  const samples = measure(CASES, size)
  return FIGURES.map(([name, of, base, kind, limit]) => {
    const value = ratio(samples, of, base)
    const holds = kind === 'at most' ? value <= limit : value >= limit
    return { name, value, bound: `${kind} ${limit.toFixed(2)}`, holds }
  })
}

const gate = process.argv.includes('--gate')
let figures = run({ rounds: 41, sampleMs: 2 })
for (let again = 0; gate && again < 2 && figures.some(({ holds }) => !holds); again++) {
  figures = run({ rounds: 101, sampleMs: 2 })
}

const version = (name) =>
  JSON.parse(
    readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
  ).version
console.log(
  `1 KiB, one v1, one secret; Node ${process.versions.node}, stripe ${version('stripe')}, ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`,
)
for (const { name, value, bound, holds } of figures) {
  console.log(`${holds ? 'ok  ' : 'MISS'} ${name.padEnd(38)} ${value.toFixed(2)}  (${bound})`)
}
if (gate && figures.some(({ holds }) => !holds)) process.exitCode = 1
