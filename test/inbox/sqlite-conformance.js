// Runs the conformance of stores on the SQLite of this runtime, and prints a line for each check.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeConformance } from '../../dist/inbox/conformance.js'
import { sqliteStore } from '../../dist/inbox/sqlite/index.js'

const driver = process.argv[2] ?? 'node:sqlite'
const { DatabaseSync, Database = DatabaseSync } = await import(driver)
const folder = mkdtempSync(join(tmpdir(), 'hookproof-sqlite-'))
let files = 0
const checks = storeConformance(async ({ clock }) => {
  const store = sqliteStore(() => new Database(join(folder, `${files++}.db`)), { clock })
  await store.migrate()
  return store
})
for (const { name, run } of checks) {
  const failure = await run().then(
    () => undefined,
    (error) => error,
  )
  console.log(failure ? `failed ${name}: ${failure.message}` : `ok ${name}`)
}
rmSync(folder, { recursive: true })
