import { schemeRows } from './schemes.js'
import { waysToRun } from './ways.js'

/** More than these say nothing new. */
const FAILURES_TOLD = 20

/**
 * Runs every published vector on the built package, in every way this runtime has. Plain ECMAScript: it is the same file
 * on a server, in a browser and in an engine with nothing but the language.
 *
 * @param {object} built the built package: `hookproof`, `sync` and `schemes` are its modules, `engines` its engines by name
 * @param {{ documents: object[], profiles: object }} vectors the published files, and the profiles by scheme
 * @returns what ran, and what failed, as data
 */
export async function runSuite(built, vectors) {
  const rows = schemeRows(built, vectors)
  const chosen = await engineChosen(built)
  const library = {
    ...built,
    engines: Object.values(built.engines).filter((engine) => works(engine)),
    syncEngines: [built.engines.native, built.engines.noble].filter((engine) => works(engine)),
    asyncWorks: chosen !== 'none',
  }
  const failures = []
  let [run, passed, ways] = [0, 0, 0]
  for (const { profile, cases } of vectors.documents) {
    for (const published of cases.filter(canBeAsked)) {
      const found = await failuresOf(published, library, rows[profile])
      run += 1
      ways += found.ways
      if (found.failures.length === 0) passed += 1
      failures.push(...found.failures)
    }
  }
  return {
    engine: chosen,
    syncEngine: library.syncEngines[0].name,
    engines: library.engines.map(({ name }) => name),
    vectors: { run, passed, ways },
    failures: failures.slice(0, FAILURES_TOLD),
  }
}

/** `createSigner` takes the time as a number; text that is none cannot be asked of it. */
function canBeAsked({ requires }) {
  return !requires.includes('timestamp-text')
}

async function failuresOf(published, library, row) {
  const { id, expect } = published
  const expected = comparable(expect.oneOf?.[expect.preferred ?? 0] ?? expect)
  const failures = []
  let ways = 0
  try {
    for (const [way, run] of waysToRun(published, library, row)) {
      ways += 1
      const outcome = await run().then(comparable, (error) => `throws ${error}`)
      if (outcome !== expected) failures.push(`${id}, ${way}: ${outcome}, not ${expected}`)
    }
    if (ways === 0) failures.push(`${id}: no way to run it`)
  } catch (error) {
    failures.push(`${id}: ${error}`)
  }
  return { ways, failures }
}

/**
 * What the async face computes with when no engine is given: `native` or `web`, seen from whether WebCrypto was called,
 * or `none`, where it has to say so at once and name the way out.
 */
async function engineChosen({ hookproof }) {
  let signer
  try {
    signer = hookproof.createSigner({ secret: 'test_only' })
  } catch (error) {
    if (error.code === 'engine_unavailable' && error.message.includes('hookproof/sync')) {
      return 'none'
    }
    throw error
  }
  const prototype = Object.getPrototypeOf(globalThis.crypto.subtle)
  const { sign } = prototype
  let chosen = 'native'
  prototype.sign = function (...args) {
    chosen = 'web'
    return sign.apply(this, args)
  }
  try {
    await signer.sign({ body: '{}', timestamp: 0 })
  } finally {
    prototype.sign = sign
  }
  return chosen
}

/** Whether this runtime has what the engine needs; where not, it says so with its own code. */
function works(engine) {
  try {
    engine.prepare(new Uint8Array(1))
    return true
  } catch (error) {
    if (error.code !== 'engine_unavailable') throw error
    return false
  }
}

/** A value as text with its keys in order. */
function comparable(value) {
  return JSON.stringify(pick(value))
}

function pick({ result, reason, output }) {
  return sorted({ result, reason, output })
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
}
