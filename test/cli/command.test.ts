import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AT, assertDiscreet, CLI, delivery, hookproof, json, OFFICIAL } from './hookproof.ts'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const env = { HOOKPROOF_SECRET: OFFICIAL.secret }

test('the package names the built file, and it can be run as it stands', () => {
  expect(manifest.bin).toEqual({ hookproof: './dist/cli.js' })
  expect(readFileSync(CLI, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true)
  if (process.platform !== 'win32') expect(statSync(CLI).mode & 0o111).toBe(0o111)
})

test.each([[['--help']], [['-h']], [['--help', 'verify']]])('%j prints the commands', (args) => {
  const run = hookproof(args, { env: {} })
  expect(run).toMatchObject({ status: 0, stderr: '' })
  expect(run.stdout).toMatch(/verify \[FILE\].*sign \[FILE\].*Example:/su)
})

test.each(['verify', 'sign'])(
  '%s --help names each of its options, with one example',
  (command) => {
    const run = hookproof([command, '--help'], { env: {} })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout.match(/Example:/gu)).toHaveLength(1)
    const { stderr } = hookproof([command, '--no-such-option'])
    const options = stderr.match(/--[a-z][a-z-]+/gu) ?? []
    expect(options.length).toBeGreaterThan(6)
    for (const option of options.slice(1)) expect(run.stdout).toContain(option)
    expect(hookproof([command, '-h']).stdout).toBe(run.stdout)
    for (const line of run.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  },
)

test.each([[['--version']], [['verify', '--version']], [['sign', '--version']]])(
  '%j prints the release',
  (args) => {
    expect(hookproof(args, { env: {} })).toEqual({
      status: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    })
  },
)

test.each([
  [[]],
  [['frobnicate']],
  [['Verify']],
  [['']],
  [['toString']],
  [['--']],
  [['--', 'verify']],
])('%j is no command: exit 2 with the list', (args) => {
  const run = hookproof(args)
  expect(run).toMatchObject({ status: 2, stdout: '' })
  expect(run.stderr).toMatch(/verify \[FILE\].*sign \[FILE\]/su)
})

test('an unknown command is told to programs as well', () => {
  const { status, answer } = json(['frobnicate'])
  expect(status).toBe(2)
  expect(answer.error.code).toBe('command_unknown')
})

const MISUSES: readonly [args: string[], code: string][] = [
  [['--frobnicate'], 'option_unknown'],
  [['-x'], 'option_unknown'],
  [['-5'], 'option_unknown'],
  [['--__proto__'], 'option_unknown'],
  [['--toString=1'], 'option_unknown'],
  [['--no-json'], 'option_unknown'],
  [['--timestamp', '1'], 'option_unknown'],
  [['--json=yes'], 'arguments_invalid'],
  [['--help=no'], 'arguments_invalid'],
  [['--now'], 'arguments_invalid'],
  [['--now', '--tolerance', '1'], 'arguments_invalid'],
  [['--secret-env'], 'arguments_invalid'],
  [['--now', '1', '--now', '2'], 'arguments_invalid'],
  [['a', 'b'], 'arguments_invalid'],
  [['-', '-'], 'arguments_invalid'],
  [['--now=-1'], 'now_invalid'],
  [['--now='], 'now_invalid'],
  [['--now', '1700000000000'], 'now_invalid'],
  [['--now', '1.5'], 'now_invalid'],
  [['--now', '1e9'], 'now_invalid'],
  [['--now', 'NaN'], 'now_invalid'],
  [['--now', 'Infinity'], 'now_invalid'],
  [['--now', '0x10'], 'now_invalid'],
  [['--now', ' 1'], 'now_invalid'],
  [['--now', '１'], 'now_invalid'],
  [['--now', '9'.repeat(400)], 'now_invalid'],
  [['--tolerance=-1'], 'tolerance_invalid'],
  [['--tolerance', '1.5'], 'tolerance_invalid'],
  [['--tolerance', 'Unlimited'], 'tolerance_invalid'],
  [['--tolerance', 'Infinity'], 'tolerance_invalid'],
  [['--tolerance', '5m'], 'tolerance_invalid'],
  [['--tolerance='], 'tolerance_invalid'],
  [['--max-body-bytes', '0'], 'limit_invalid'],
  [['--max-body-bytes=-1'], 'limit_invalid'],
  [['--max-body-bytes', '1MiB'], 'limit_invalid'],
  [['--max-body-bytes', 'unlimited'], 'limit_invalid'],
]

test.each(MISUSES)('verify %j is misuse: exit 2 and one line', (args, code) => {
  const run = hookproof(['verify', ...args], { input: delivery() })
  expect(run).toMatchObject({ status: 2, stdout: '' })
  expect(run.stderr).toMatch(/^hookproof: .+\n$/u)
  const { status, answer, stderr } = json(['verify', ...args], { input: delivery() })
  expect(status).toBe(2)
  expect(stderr).toBe('')
  expect(answer).toEqual({ error: { code, message: expect.any(String) } })
})

test('--json after two dashes is a file name', () => {
  const run = hookproof(['verify', '--', '--json', 'x'])
  expect(run).toMatchObject({ status: 2, stdout: '' })
})

test('a reader that goes away early changes neither exit status nor manners', async () => {
  for (const [args, status] of [
    [['verify', ...AT], 0],
    [['verify'], 1],
    [['verify', '--json', '--frobnicate'], 2],
    [['sign', '--request', 'http://h/'], 0],
    [['--help'], 0],
  ] as const) {
    const child = spawn(process.execPath, [CLI, ...args], { env })
    child.stdout.destroy()
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdin.on('error', () => {})
    child.stdin.end(delivery())
    const [code] = await once(child, 'close')
    expect([args, code]).toEqual([args, status])
    assertDiscreet({ status, stdout: '', stderr })
    expect(stderr).not.toContain('EPIPE')
  }
})

test.skipIf(process.platform !== 'linux')(
  'output that cannot be written is said and exits with 2',
  () => {
    const full = openSync('/dev/full', 'w')
    try {
      const { status, stderr } = spawnSync(process.execPath, [CLI, 'verify', ...AT], {
        input: delivery(),
        env,
        stdio: ['pipe', full, 'pipe'],
      })
      expect(status).toBe(2)
      expect(stderr.toString()).toBe('hookproof: the output could not be written (ENOSPC)\n')
    } finally {
      closeSync(full)
    }
  },
)

test.skipIf(process.platform === 'win32')(
  'it runs through a link, as a package manager installs it',
  () => {
    const { status, stdout } = spawnSync(
      'sh',
      [
        '-c',
        'd=$(mktemp -d) && ln -s "$1" "$d/hookproof" && "$d/hookproof" --version; s=$?; rm -r "$d"; exit $s',
        'sh',
        CLI,
      ],
      { env: { PATH: process.env.PATH } },
    )
    expect(status).toBe(0)
    expect(stdout.toString()).toBe(`${manifest.version}\n`)
  },
)
