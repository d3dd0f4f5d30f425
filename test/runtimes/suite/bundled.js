import vectors from 'hookproof-vectors'
import * as native from '../../../dist/engines/native.js'
import * as noble from '../../../dist/engines/noble.js'
import * as web from '../../../dist/engines/web.js'
import * as hookproof from '../../../dist/index.js'
import * as schemes from '../../../dist/schemes/index.js'
import * as sync from '../../../dist/sync.js'
import { runSuite } from './suite.js'

const engines = { native: native.engine, web: web.engine, noble: noble.engine }

/** The suite with the built package and all vectors in one file, for runtimes that load no other. */
export function report() {
  return runSuite({ hookproof, sync, schemes, engines }, vectors)
}
