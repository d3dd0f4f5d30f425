import { expect, test } from 'vitest'
import {
  AT,
  delivery,
  file,
  headerOf,
  hookproof,
  json,
  nowhere,
  OFFICIAL,
  OTHER_SECRET,
} from './hookproof.ts'

const input = delivery()
const verify = ['verify', ...AT] as const
const { secret } = OFFICIAL

test('the default is the variable HOOKPROOF_SECRET, only when nothing else is named', () => {
  const env = { HOOKPROOF_SECRET: OTHER_SECRET, MINE: secret }
  expect(hookproof(verify, { input, env }).status).toBe(1)
  const named = hookproof([...verify, '--secret-env', 'MINE'], { input, env })
  expect(named.stdout).toContain('by secret 1 of 1')
})

test.each([
  ['no line break', secret],
  ['LF', `${secret}\n`],
  ['CRLF', `${secret}\r\n`],
])('a secret file that ends with %s holds the secret', (_, content) => {
  const run = hookproof([...verify, '--secret-file', file('secret', content)], { input, env: {} })
  expect(run).toMatchObject({ status: 0, stderr: '' })
})

test.each([
  ['two line breaks', `${secret}\n\n`],
  ['a bare CR', `${secret}\r`],
  ['a blank and a line break', `${secret} \n`],
  ['a blank in front', ` ${secret}`],
  ['a byte order mark', `\ufeff${secret}`],
  ['the prefix alone', 'whsec_test_\n'],
  ['UTF-16', Buffer.from(`\ufeff${secret}`, 'utf16le')],
])('a secret file with %s is no secret, rather than another one', (_, content) => {
  const args = [...verify, '--secret-file', file('secret', content)]
  const { status, answer } = json(args, { input, env: {} })
  expect(status).toBe(2)
  expect(answer.error.code).toBe('secret_invalid')
  expect(answer.error.message).toMatch(/^secret 1 \(--secret-file\): /u)
})

test.each([
  ['an empty file', ''],
  ['a line break alone', '\n'],
])('%s as a secret is a missing one', (_, content) => {
  const args = [...verify, '--secret-file', file('secret', content)]
  expect(json(args, { input, env: {} }).answer.error.code).toBe('secret_missing')
})

test('a secret of bytes that are no text is taken as it is, without its last line break', () => {
  const bytes = Buffer.from('20c0ff0d', 'hex')
  const signed = delivery(OFFICIAL.body, headerOf(OFFICIAL.body, bytes))
  const path = file('secret', bytes)
  expect(hookproof([...verify, '--secret-file', path], { input: signed, env: {} }).status).toBe(0)
  const key = bytes.subarray(0, 3)
  const other = delivery(OFFICIAL.body, headerOf(OFFICIAL.body, key))
  const lf = file('secret-lf', Buffer.concat([key, Buffer.from('\n')]))
  expect(hookproof([...verify, '--secret-file', lf], { input: other, env: {} }).status).toBe(0)
})

test('secrets are counted in the order in which they are named', () => {
  const env = { A: OTHER_SECRET, C: 'whsec_third' }
  const path = file('secret', secret)
  const run = hookproof([...verify, '--secret-env=A', `--secret-file=${path}`, '--secret-env=C'], {
    input,
    env,
  })
  expect(run.stdout).toContain('by secret 2 of 3, signature 1')
})

test('the secret may come on standard input when the delivery is a file', () => {
  const path = file('delivery', input)
  const args = [...verify, path, '--secret-file', '-']
  expect(hookproof(args, { input: `${secret}\n`, env: {} }).status).toBe(0)
  const both = json([...verify, '--secret-file', '-'], { input, env: {} })
  expect(both.status).toBe(2)
  expect(both.answer.error.code).toBe('arguments_invalid')
})

const BAD_VARIABLES: readonly [title: string, env: Record<string, string>, code: string][] = [
  ['no variable', {}, 'secret_missing'],
  ['an empty variable', { HOOKPROOF_SECRET: '' }, 'secret_missing'],
  ['a blank variable', { HOOKPROOF_SECRET: '  ' }, 'secret_invalid'],
  ['a trailing line break', { HOOKPROOF_SECRET: `${secret}\n` }, 'secret_invalid'],
  ['a leading blank', { HOOKPROOF_SECRET: ` ${secret}` }, 'secret_invalid'],
  ['a prefix alone', { HOOKPROOF_SECRET: 'whsec_' }, 'secret_invalid'],
]

test.each(BAD_VARIABLES)('%s is a configuration error of either command', (_, env, code) => {
  for (const command of ['verify', 'sign']) {
    const run = hookproof([command], { input, env })
    expect(run).toMatchObject({ status: 2, stdout: '' })
    expect(run.stderr).toMatch(/^hookproof: HOOKPROOF_SECRET[: ].+\n$/u)
    expect(json([command], { input, env }).answer.error.code).toBe(code)
  }
})

test.each(['MISSING', 'toString', '__proto__', 'constructor', '', 'A=B', '.'])(
  'a variable named %o does not exist',
  (name) => {
    const { status, answer } = json([...verify, `--secret-env=${name}`], { input })
    expect(status).toBe(2)
    expect(answer.error.code).toBe('secret_missing')
  },
)

test('one bad secret among good ones is named by its place', () => {
  const env = { A: secret, B: `${OTHER_SECRET}\n` }
  const run = hookproof([...verify, '--secret-env', 'A', '--secret-env', 'B'], { input, env })
  expect(run.status).toBe(2)
  expect(run.stderr).toMatch(/^hookproof: secret 2 \(--secret-env\): .*white space/u)
})

test('an unreadable or endless secret file exits with 2', () => {
  const missing = json([...verify, '--secret-file', nowhere()], { input })
  expect(missing.status).toBe(2)
  expect(missing.answer.error).toEqual({
    code: 'file_unreadable',
    message: 'cannot read secret 1 (--secret-file): there is no such file',
  })
  const large = json([...verify, '--secret-file', file('secret', 'x'.repeat(65537))], { input })
  expect(large.answer.error.code).toBe('file_too_large')
})

// The runner finds the secret in no output; here it stands wherever somebody may put it.
const MISPLACED: readonly (readonly string[])[] = [
  ['verify', '--secret', secret],
  ['verify', `--secret=${secret}`],
  ['verify', '--secret'],
  ['sign', '--secret', secret],
  ['--secret', secret, 'verify'],
  ['verify', '--json', '--secret', secret],
  ['verify', '--secret-env', secret],
  ['verify', '--secret-file', secret],
  ['verify', secret],
  ['verify', 'file', secret],
  ['verify', `--${secret}`],
  ['verify', `-${secret}`],
  ['verify', '--key', secret],
  ['verify', `--key=${secret}`],
  ['verify', '--now', secret],
  ['verify', '--tolerance', secret],
  ['verify', '--max-body-bytes', secret],
  ['verify', `--json=${secret}`],
  ['sign', '--timestamp', secret],
  ['sign', '--request', secret],
  ['sign', '--request', `https://user:${secret}@127.0.0.1/`],
  ['sign', '--id', `${secret}\n`],
  [secret],
  [secret, 'verify'],
]

test.each(MISPLACED)(
  'a secret in the wrong place is refused and not repeated: %s %s',
  (...args) => {
    const run = hookproof(args, { input: '{}' })
    expect(run.status).toBe(2)
    expect(run.stdout + run.stderr).not.toBe('')
  },
)

test('--secret says why it does not exist and what does', () => {
  const { stderr } = hookproof(['verify', '--secret', secret], { input })
  expect(stderr).toMatch(/process list.*--secret-env NAME or --secret-file PATH/u)
  const { answer } = json(['verify', `--secret=${secret}`], { input })
  expect(answer.error.code).toBe('secret_on_command_line')
})
