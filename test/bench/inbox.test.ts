import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { hasPostgres } from '../inbox/postgres-server.ts'
import { hasDrivers } from '../inbox/programs/start.ts'

test.skipIf(!hasDrivers() || !hasPostgres())(
  'the benchmark of the inbox runs, is answered 2xx throughout and prints its figures',
  () => {
    const script = fileURLToPath(new URL('inbox.js', import.meta.url))
    const output = execFileSync(process.execPath, [script, '--quick'], { encoding: 'utf8' })
    expect(output).toMatch(
      /^usual {2}50\/s {2}10 of 10 answered 2xx {2}p50 [\d.]+ ms {2}p99 [\d.]+ ms$/mu,
    )
    expect(output).toMatch(
      /^burst 500\/s {2}50 of 50 answered 2xx {2}p50 [\d.]+ ms {2}p99 [\d.]+ ms$/mu,
    )
  },
)
