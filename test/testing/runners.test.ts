import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { leftOut } from '../requirements.ts'

// proofs() under each test runner itself: a right receiver is green but for what cannot be shown, which
// is skipped; a faulty one is red.

const FOLDER = 'test/testing/programs/runners'
const RUNTIMES = 'test/runtimes/node_modules'
const JEST = 'test/consumers/node_modules/jest/bin/jest.js'
const jestConfig = JSON.stringify({ transform: {}, testMatch: ['**/jest.test.js'] })

interface Runner {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** How it counts what passed, failed and was skipped. */
  readonly counts: readonly [passed: RegExp, failed: RegExp, skipped: RegExp]
}

const RUNNERS: readonly Runner[] = [
  {
    name: 'node:test',
    command: process.execPath,
    args: ['--test', '--test-reporter=tap', `${FOLDER}/node-test.test.js`],
    counts: [/# pass (\d+)/u, /# fail (\d+)/u, /# skipped (\d+)/u],
  },
  {
    name: 'vitest',
    command: process.execPath,
    args: ['node_modules/vitest/vitest.mjs', 'run', '--root', FOLDER],
    counts: [/Tests.* (\d+) passed/u, /Tests.* (\d+) failed/u, /Tests.* (\d+) skipped/u],
  },
  {
    name: 'bun',
    command: `${RUNTIMES}/@oven/bun-linux-x64/bin/bun`,
    args: ['test', `./${FOLDER}/bun.test.js`],
    counts: [/ (\d+) pass\b/u, / (\d+) fail\b/u, / (\d+) skip\b/u],
  },
  {
    name: 'deno',
    command: `${RUNTIMES}/@deno/linux-x64-glibc/deno`,
    args: ['test', '--allow-all', '--no-check', `${FOLDER}/node-test.test.js`],
    counts: [/\((\d+) steps?\) \|/u, /failed \((\d+) steps?\)/u, /ignored \((\d+) steps?\)/u],
  },
  {
    name: 'jest',
    command: process.execPath,
    args: ['--experimental-vm-modules', JEST, '--rootDir', FOLDER, '--config', jestConfig],
    counts: [/Tests:.* (\d+) passed/u, /Tests:.* (\d+) failed/u, /Tests:.* (\d+) skipped/u],
  },
]

function run({ command, args, counts }: Runner, fault: string | undefined) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, VITEST: undefined, FAULT: fault },
  })
  const text = stdout + stderr
  const [passed, failed, skipped] = counts.map((count) => Number(count.exec(text)?.[1] ?? 0))
  return { status, passed, failed, skipped, text }
}

describe.each(RUNNERS)('$name', (runner) => {
  const program = runner.args.includes(JEST) ? JEST : runner.command
  const isMissing = leftOut(existsSync(program) ? [] : [program])

  test.skipIf(isMissing)('is green for a right receiver, and skips what cannot be shown', () => {
    const { text, ...counted } = run(runner, undefined)
    expect(counted, text).toEqual({ status: 0, passed: 24, failed: 0, skipped: 1 })
  })

  test.skipIf(isMissing)('is red for a faulty one, and says why', () => {
    const { text, ...counted } = run(runner, '1')
    expect(counted, text).toEqual({ status: 1, passed: 17, failed: 7, skipped: 1 })
    expect(text).toMatch(/cause +the same delivery is worked on again/u)
    expect(text).toMatch(/replay +replayKit.*seed: 7.*P2/u)
  })
})
