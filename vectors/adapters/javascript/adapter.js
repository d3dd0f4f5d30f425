// The protocol of `hookproof conformance`: one JSON object a line, in and out. vectors/README.md has the messages.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { WebhookConfigError, WebhookVerificationError } from 'hookproof'
import { operations, profiles } from './verifier.js'

const { version } = createRequire(import.meta.url)('hookproof/package.json')

const hello = {
  implementation: {
    name: 'hookproof',
    version,
    language: 'javascript',
    runtime: `Node ${process.versions.node}`,
  },
  profiles,
  ops: Object.keys(operations),
  // All but `timestamp-text`: the signer takes its time as a number.
  capabilities: [
    ...['envelope', 'header-bytes', 'header-lines', 'limits', 'matched', 'multi-secret'],
    ...['raw-body', 'secret-bytes', 'tolerance'],
  ],
  choices: {
    HexCase: 'valid',
    IntegralFloat: 'valid',
    LargeVersion: 'valid',
    DuplicateJsonKey: 'valid',
    DeepNesting: 'valid',
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { seq, cmd, profile, op, input } = JSON.parse(line)
  if (cmd === 'bye') break
  const answer =
    cmd === 'hello' ? hello : cmd === 'run' ? await run(profile, op, input) : unknown(cmd)
  process.stdout.write(`${JSON.stringify({ p: 1, seq, ...answer })}\n`)
}

async function run(profile, op, input) {
  try {
    return await operations[op](profile, decoded(input))
  } catch (error) {
    // Only what the package documents is a refusal; anything else is a finding.
    if (error instanceof WebhookConfigError) return { result: 'invalid', reason: error.code }
    if (error instanceof WebhookVerificationError)
      return { result: 'invalid', reason: error.reason }
    return { error: { message: String(error) } }
  }
}

function unknown(cmd) {
  return { error: { message: `no command ${cmd}` } }
}

/** Which members of an input are base64. */
function decoded({ headers, body, secrets, key, message, ...rest }) {
  const bytes = (text) => (typeof text === 'string' ? Buffer.from(text, 'base64') : text)
  return {
    ...rest,
    headers: headers?.map(([name, value]) => [name, bytes(value)]),
    body: bytes(body),
    secrets: secrets?.map(bytes),
    key: bytes(key),
    message: bytes(message),
  }
}
