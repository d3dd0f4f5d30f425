import { decodeUtf8 } from '../core/bytes.ts'
import { WebhookConfigError } from '../core/errors.ts'
import { readSecrets } from '../core/secrets.ts'
import type { Arguments, GivenOption } from './arguments.ts'
import { readInput } from './input.ts'
import { misuse, UsageError } from './usage-error.ts'

const DEFAULT_VARIABLE = 'HOOKPROOF_SECRET'
const MAX_SECRET_BYTES = 64 * 1024

/**
 * The secrets in the order they were named, or the default variable's. A message tells them apart
 * by position.
 */
export async function loadSecrets({ file, options }: Arguments): Promise<(string | Uint8Array)[]> {
  const sources = options.filter(({ name }) => name === 'secret-env' || name === 'secret-file')
  const files = sources.filter(({ name }) => name === 'secret-file').map(({ value }) => value)
  if ([file, ...files].filter((path) => path === '-').length > 1) {
    misuse('arguments_invalid', 'standard input can be FILE or one secret, not both; name a file')
  }
  if (sources.length === 0) return [checked(fromDefault(), DEFAULT_VARIABLE)]
  const secrets: (string | Uint8Array)[] = []
  for (const [index, source] of sources.entries()) {
    const label = `secret ${index + 1} (--${source.name})`
    secrets.push(checked(await load(source, label), label))
  }
  return secrets
}

/** The one secret that a sender signs with. */
export async function loadSecret({ options }: Arguments): Promise<string | Uint8Array> {
  const [secret, ...others] = await loadSecrets({ file: '', options })
  if (secret === undefined || others.length > 0) {
    misuse('arguments_invalid', 'one secret at a time: that which the receiver verifies with')
  }
  return secret
}

function fromDefault(): string {
  return (
    variable(DEFAULT_VARIABLE) ??
    misuse(
      'secret_missing',
      `${DEFAULT_VARIABLE} is not set; export it, or use --secret-env NAME or --secret-file PATH`,
    )
  )
}

async function load({ name, value }: GivenOption, label: string): Promise<string | Uint8Array> {
  if (name === 'secret-file') return fromFile(value, label)
  return (
    variable(value) ??
    misuse(
      'secret_missing',
      `${label}: no such variable is exported; give the variable's name, not the secret`,
    )
  )
}

/** Own variables only: `toString` is none. */
function variable(name: string): string | undefined {
  return Object.hasOwn(process.env, name) ? process.env[name] : undefined
}

/**
 * The file's text without the one line break that an editor or `echo` leaves; bytes that are no
 * text as they are.
 */
async function fromFile(path: string, label: string): Promise<string | Uint8Array> {
  const bytes = await readInput(path, label, MAX_SECRET_BYTES)
  if (bytes.length >= 2 && (bytes.readUInt16BE() === 0xfffe || bytes.readUInt16BE() === 0xfeff)) {
    misuse('secret_invalid', `${label}: the file is UTF-16; save it as UTF-8`)
  }
  const breakLength = bytes.at(-1) !== 0x0a ? 0 : bytes.at(-2) === 0x0d ? 2 : 1
  const secret = bytes.subarray(0, bytes.length - breakLength)
  return decodeUtf8(secret) ?? secret
}

/** Judges one secret, so that the message can name its place. */
function checked<S extends string | Uint8Array>(secret: S, label: string): S {
  try {
    readSecrets(secret)
    return secret
  } catch (error) {
    if (!(error instanceof WebhookConfigError)) throw error
    throw new UsageError(error.code, `${label}: ${error.message}`)
  }
}
