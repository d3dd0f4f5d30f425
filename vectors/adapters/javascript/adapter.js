// Answers `hookproof conformance`: one JSON object a line, in and out. vectors/README.md has the messages.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { WebhookConfigError, WebhookVerificationError } from 'hookproof'
import { operations, profiles } from './verifier.js'

const { name, version } = createRequire(import.meta.url)('hookproof/package.json')
const runtime = `Node ${process.versions.node}`
const choices = ['HexCase', 'IntegralFloat', 'LargeVersion', 'DuplicateJsonKey', 'DeepNesting']
const hello = {
  implementation: { name, version, language: 'javascript', runtime },
  profiles,
  ops: Object.keys(operations),
  // All but `timestamp-text`: the signer takes its time as a number.
  capabilities: [
    ...['envelope', 'header-bytes', 'header-lines', 'limits', 'matched', 'multi-secret'],
    ...['raw-body', 'secret-bytes', 'tolerance'],
  ],
  choices: Object.fromEntries(choices.map((choice) => [choice, 'valid'])),
}

const bytes = (text) => (typeof text === 'string' ? Buffer.from(text, 'base64') : text)

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line)
  if (question.cmd === 'bye') break
  const answer = await answerTo(question)
  process.stdout.write(`${JSON.stringify({ p: 1, seq: question.seq, ...answer })}\n`)
}

async function answerTo({ cmd, profile, op, input }) {
  if (cmd === 'hello') return hello
  if (cmd !== 'run') return { error: { message: `no command ${cmd}` } }
  try {
    const { headers, body, secrets, key, message } = input
    return await operations[op](profile, {
      ...input,
      headers: headers?.map(([name, value]) => [name, bytes(value)]),
      secrets: secrets?.map(bytes),
      body: bytes(body),
      key: bytes(key),
      message: bytes(message),
    })
  } catch (error) {
    // Only what the package documents is a refusal; anything else is a finding.
    if (error instanceof WebhookConfigError) return { result: 'invalid', reason: error.code }
    if (error instanceof WebhookVerificationError)
      return { result: 'invalid', reason: error.reason }
    return { error: { message: String(error) } }
  }
}
