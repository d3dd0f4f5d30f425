// An adapter whose verifier compares the first half of a signature only.
import { createInterface } from 'node:readline'
import { operations } from '../../vectors/adapters/javascript/verifier.js'

const hello = {
  implementation: { name: 'mistaken', version: '1', language: 'javascript' },
  profiles: ['paymos'],
  ops: ['verify'],
  capabilities: ['envelope'],
}

for await (const line of createInterface({ input: process.stdin })) {
  const { seq, cmd, input } = JSON.parse(line)
  if (cmd === 'bye') break
  const answer = cmd === 'hello' ? hello : await judge(input)
  process.stdout.write(`${JSON.stringify({ p: 1, seq, ...answer })}\n`)
}

async function judge({ headers, body, secrets, header = '', ...rest }) {
  const bytes = (text) => text && Buffer.from(text, 'base64')
  const keys = secrets.map(bytes)
  const lines = headers.map(([name, value]) => [name, bytes(value)])
  const { t } = /t=(?<t>\d+)/u.exec(header ?? '')?.groups ?? {}
  const { output } = await operations.mac('paymos', {
    key: keys[0] ?? '',
    message: `${t}.${bytes(body)}`,
  })
  const given = /v1=(?<half>[0-9a-f]{32})[0-9a-f]{32}$/u.exec(header ?? '')?.groups?.half
  const isHalfRight = given !== undefined && output.mac.startsWith(given)
  const right = isHalfRight
    ? [['X-Webhook-Signature', Buffer.from(`t=${t},v1=${output.mac}`)]]
    : lines
  try {
    return await operations.verify('paymos', {
      ...rest,
      headers: right,
      body: bytes(body),
      secrets: keys,
    })
  } catch (error) {
    return { result: 'invalid', reason: error.code }
  }
}
