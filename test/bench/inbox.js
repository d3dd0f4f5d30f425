// A burst of ten times the usual rate at one receiver with an inbox on PostgreSQL, over sockets:
// `npm run bench:inbox`. Every answer must be 2xx. With --gate the exit code also says whether the
// 99th percentile stays below a second; --quick only shows that the benchmark works.
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'
import { createTables, openShop } from '../inbox/programs/shop.js'

/** The helpers of the tests are in TypeScript, which this version of Node may not run by itself. */
const helper = async (name) => {
  const path = fileURLToPath(new URL(`../inbox/${name}`, import.meta.url))
  return (await runnerImport(path, { configFile: false, logLevel: 'error' })).module
}
const { startPostgres } = await helper('postgres-server.ts')
const { deliveryOf, pause, post, RECEIVES, withProcess } = await helper('programs/start.ts')

const gate = process.argv.includes('--gate')
const quick = process.argv.includes('--quick')
const PHASES = [
  { name: 'usual', perSecond: 50, requests: quick ? 10 : 150 },
  { name: 'burst', perSecond: 500, requests: quick ? 50 : 2_000 },
]
const LIMIT_MS = 1_000

const server = await startPostgres()
try {
  const spec = { driver: 'pg', at: server.url, connections: 10 }
  const shop = await openShop(spec)
  await createTables(shop)
  const [{ server_version }] = await shop.query('show server_version')
  const figures = await withProcess(
    { shop: spec, receives: RECEIVES, works: true },
    async ({ url }) => {
      // The first requests open connections and compile the code.
      await send(url, { name: 'warm', perSecond: 50, requests: 50 })
      const all = []
      for (const phase of PHASES) all.push(await send(url, phase))
      return all
    },
  )
  const stored = await shop.query('select event_id from webhook_delivery')
  await shop.end()

  console.log(
    `one receiver that also works, pg ${version('pg')}, PostgreSQL ${server_version} with fsync, Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`,
  )
  for (const { name, perSecond, requests, accepted, p50, p99 } of figures) {
    console.log(
      `${name} ${String(perSecond).padStart(3)}/s  ${accepted} of ${requests} answered 2xx  p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`,
    )
  }
  const acknowledged = figures.reduce((sum, { accepted }) => sum + accepted, 50)
  const isWhole = figures.every(({ accepted, requests }) => accepted === requests)
  const isQuick = figures.every(({ p99 }) => p99 < LIMIT_MS)
  if (!isWhole || stored.length !== acknowledged || (gate && !isQuick)) process.exitCode = 1
} finally {
  await server.end()
}

/** Sends at a steady rate, whatever the answers do, and times each from when it should have gone. */
async function send(url, { name, perSecond, requests }) {
  const deliveries = Array.from({ length: requests }, (_, index) =>
    deliveryOf(`evt_${name}_${index}`, `inv_${name}_${index}`, { data: { note: 'x'.repeat(900) } }),
  )
  const begun = performance.now()
  const answers = deliveries.map(async (delivery, index) => {
    const due = begun + (index * 1_000) / perSecond
    await pause(due - performance.now())
    const [status] = await post(url, delivery)
    return { ms: performance.now() - due, isAccepted: status >= 200 && status < 300 }
  })
  const results = await Promise.all(answers)
  const times = results.map(({ ms }) => ms).sort((a, b) => a - b)
  const quantile = (q) => times[Math.ceil(q * times.length) - 1]
  const accepted = results.filter(({ isAccepted }) => isAccepted).length
  return { name, perSecond, requests, accepted, p50: quantile(0.5), p99: quantile(0.99) }
}

function version(name) {
  const drivers = createRequire(new URL('../inbox/drivers/package.json', import.meta.url))
  return drivers(`${name}/package.json`).version
}
