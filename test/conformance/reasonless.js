// An adapter that accepts and refuses rightly, and says no more than that.
import { createInterface } from 'node:readline'
import { operations } from '../../vectors/adapters/javascript/verifier.js'

const hello = {
  implementation: { name: 'reasonless', version: '1', language: 'javascript' },
  profiles: ['paymos'],
  ops: ['verify'],
  capabilities: ['envelope', 'multi-secret', 'header-lines'],
}

for await (const line of createInterface({ input: process.stdin })) {
  const { seq, cmd, input } = JSON.parse(line)
  if (cmd === 'bye') break
  const answer = cmd === 'hello' ? hello : { result: await resultOf(input) }
  process.stdout.write(`${JSON.stringify({ p: 1, seq, ...answer })}\n`)
}

async function resultOf({ headers, body, secrets, ...rest }) {
  const bytes = (text) => text && Buffer.from(text, 'base64')
  const lines = headers.map(([name, value]) => [name, bytes(value)])
  const { result } = await operations.verify('paymos', {
    ...rest,
    headers: lines,
    body: bytes(body),
    secrets: secrets.map(bytes),
  })
  return result
}
