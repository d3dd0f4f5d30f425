import { readFileSync } from 'node:fs'
import { engine as native } from '../../dist/engines/native.js'
import { engine as noble } from '../../dist/engines/noble.js'
import { engine as web } from '../../dist/engines/web.js'
import * as hookproof from '../../dist/index.js'
import * as schemes from '../../dist/schemes/index.js'
import * as sync from '../../dist/sync.js'
import { runSuite } from './suite/suite.js'

const vectors = JSON.parse(readFileSync(new URL('.build/vectors.json', import.meta.url), 'utf8'))
const built = { hookproof, sync, schemes, engines: { native, web, noble } }
const report = await runSuite(built, vectors)
console.log(JSON.stringify({ version: process.versions.node, ...report }))
