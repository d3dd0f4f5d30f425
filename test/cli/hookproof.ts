import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'
import { OFFICIAL as PUBLISHED } from '../fixtures.ts'

export const CLI: string = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
if (!existsSync(CLI)) throw new Error('dist/cli.js is missing; run: npm run build')

/** The provider's published vector, and its right signature. */
export const OFFICIAL = {
  ...PUBLISHED,
  timestamp: PUBLISHED.now,
  mac: '8f62822925c2d12af1b822edcc1e9392ce064c20d003cbbc11f131485348005b',
} as const

export const OTHER_SECRET = 'whsec_live_another'

export interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Setting {
  readonly input?: string | Uint8Array
  readonly env?: Record<string, string>
  readonly cwd?: string
}

/** Runs the built command as a user does, with the official secret in its default variable. */
export function hookproof(args: readonly string[], setting: Setting = {}): Run {
  const { input = '', env = { HOOKPROOF_SECRET: OFFICIAL.secret }, cwd } = setting
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    input,
    env,
    cwd,
    maxBuffer: 64 * 1024 * 1024,
  })
  const run = { status, stdout: stdout.toString(), stderr: stderr.toString() }
  assertDiscreet(run, args[0] === 'sign')
  return run
}

/**
 * Whatever a run was about: no secret, no signature that nobody asked for, no stack trace, nothing
 * a terminal obeys.
 */
export function assertDiscreet({ stdout, stderr }: Run, showsSignatures = false): void {
  const all = stdout + stderr
  for (const secret of [OFFICIAL.secret, OTHER_SECRET]) expect(all).not.toContain(secret)
  expect(all).not.toMatch(/^\s+at /mu)
  expect(all).not.toContain('node:internal')
  expect(stderr).not.toMatch(/[0-9a-f]{64}/iu)
  if (showsSignatures) return
  expect(stdout).not.toMatch(/[0-9a-f]{64}|v1=[0-9a-f]/iu)
  expect(all).not.toMatch(/[^\n\P{C}]/u)
}

/** Runs with `--json` and parses the answer, which has to be one line. */
export function json(args: readonly string[], setting?: Setting) {
  const run = hookproof([...args, '--json'], setting)
  expect(run.stdout).toMatch(/^\{.*\}\n$/u)
  return { ...run, answer: JSON.parse(run.stdout) }
}

export function sign(
  body: string | Uint8Array,
  timestamp: number,
  secret: string | Uint8Array,
): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

/** The header of a body, signed with node:crypto. */
export function headerOf(
  body: string | Uint8Array,
  secret: string | Uint8Array = OFFICIAL.secret,
  timestamp: number = OFFICIAL.timestamp,
): string {
  return `t=${timestamp},v1=${sign(body, timestamp, secret)}`
}

/** A saved raw request with the given header lines, byte for byte. */
export function rawRequest(
  lines: readonly string[],
  body: string | Uint8Array,
  lineEnd = '\r\n',
): Buffer {
  const head = ['POST /webhooks HTTP/1.1', ...lines, '', ''].join(lineEnd)
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)])
}

/** The official delivery, or another body, as a raw request whose length is told. */
export function delivery(
  body: string | Uint8Array = OFFICIAL.body,
  header: string = headerOf(body),
): Buffer {
  return rawRequest(
    [`Content-Length: ${Buffer.byteLength(body)}`, `X-Webhook-Signature: ${header}`],
    body,
  )
}

/** An event of which some fields are replaced. */
export function eventBody(fields: object): string {
  return JSON.stringify({ ...JSON.parse(OFFICIAL.body), ...fields })
}

export const AT = ['--now', `${OFFICIAL.timestamp}`] as const

const folder = mkdtempSync(join(tmpdir(), 'hookproof-cli-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A file of the given content in a folder that goes away with the test file. */
export function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

export function nowhere(): string {
  return join(folder, 'no-such-file')
}
