import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('the benchmark runs, checks its answers and prints its three ratios', () => {
  const script = fileURLToPath(new URL('run.js', import.meta.url))
  const output = execFileSync(process.execPath, [script, '--quick'], { encoding: 'utf8' })
  expect(output.match(/^(ok|MISS) +.+ \/ .+ +\d+\.\d\d {2}\(at (most|least) \d/gmu)).toHaveLength(3)
})
