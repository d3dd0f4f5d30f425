import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { loadFiles } from '../../vectors/gen/decode.js'

// What runs inside each runtime, as one file that holds the suite, the built package and every vector.

const HERE = import.meta.dirname
const PROFILES = join(HERE, '../../vectors/profiles')
const BUILD = join(HERE, '.build')
const VECTORS = join(BUILD, 'vectors.json')

mkdirSync(BUILD, { recursive: true })
writeFileSync(VECTORS, JSON.stringify({ documents: loadDocuments(), profiles: loadProfiles() }))
const inside = readdirSync(join(HERE, 'inside')).filter((name) => name.endsWith('.js'))
await build({
  entryPoints: inside.map((name) => join(HERE, 'inside', name)),
  outdir: BUILD,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  alias: { 'hookproof-vectors': VECTORS },
})

function loadDocuments() {
  return loadFiles().map(({ document }) => document)
}

function loadProfiles() {
  const names = readdirSync(PROFILES).filter((name) => name.endsWith('.json'))
  return Object.fromEntries(
    names.map((name) => [
      name.replace('.json', ''),
      JSON.parse(readFileSync(join(PROFILES, name), 'utf8')),
    ]),
  )
}
