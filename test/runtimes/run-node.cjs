const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { engine: native } = require('../../dist/engines/native.cjs')
const { engine: noble } = require('../../dist/engines/noble.cjs')
const { engine: web } = require('../../dist/engines/web.cjs')
const hookproof = require('../../dist/index.cjs')
const schemes = require('../../dist/schemes/index.cjs')
const sync = require('../../dist/sync.cjs')

async function main() {
  const { runSuite } = await import('./suite/suite.js')
  const vectors = JSON.parse(readFileSync(join(__dirname, '.build/vectors.json'), 'utf8'))
  const built = { hookproof, sync, schemes, engines: { native, web, noble } }
  const report = await runSuite(built, vectors)
  console.log(JSON.stringify({ version: process.versions.node, ...report }))
}

main()
