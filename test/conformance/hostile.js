// An adapter that misbehaves: node hostile.js BEHAVIOUR [FILE]. Most do so at one case only, which
// the runner names under --reveal, and verify rightly otherwise.
import { spawn } from 'node:child_process'
import { closeSync, existsSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { operations } from '../../vectors/adapters/javascript/verifier.js'

const TARGET = 'paymos/hdr-003'
const [behaviour, file] = process.argv.slice(2)

const hello = {
  implementation: { name: 'hostile', version: '1', language: 'javascript' },
  profiles: ['paymos'],
  ops: ['verify'],
  capabilities: ['envelope', 'header-bytes', 'header-lines', 'matched', 'multi-secret'],
}
const HELLOS = {
  'no-name': { ...hello, implementation: { version: '1', language: 'javascript' } },
  'wrong-choice': { ...hello, choices: { HexCase: 'body_not_json' } },
  'wrong-reasons': { ...hello, reasons: { Mine: 'no_such_reason' } },
  'unknown-capability': { ...hello, capabilities: [...hello.capabilities, 'header-line'] },
  'declares-nothing': { ...hello, ops: [], capabilities: [] },
  'no-capability': { ...hello, capabilities: [] },
  'unknown-profile': { ...hello, profiles: ['paypal'] },
  'unknown-op': { ...hello, ops: ['check'] },
  'mac-of-stripe': { ...hello, profiles: ['stripe'], ops: ['mac'] },
  ...Object.fromEntries(['wrong-made', 'skips-made', 'all-ops'].map((name) => [name, making()])),
}

function making() {
  return {
    ...hello,
    ops: ['verify', 'sign', 'mac'],
    capabilities: [...hello.capabilities, 'sign', 'mac'],
  }
}

const put = (text) => process.stdout.write(text)
const line = (seq, members) => `${JSON.stringify({ p: 1, seq, ...members })}\n`
const never = () => new Promise(() => setInterval(() => {}, 1000))
const VALID = { result: 'valid' }

/** What is done at the target, in place of the answer. */
const AT_TARGET = {
  hang: never,
  segfault: () => process.kill(process.pid, 'SIGSEGV'),
  'exit-0': () => process.exit(0),
  'exit-9': () => {
    process.stderr.write('fatal: \u001b[31mout of memory\n')
    process.exit(9)
  },
  'close-stdout': () => {
    closeSync(1)
    return never()
  },
  garbage: () => put('Warning: header "x" \u001b[31m\n'),
  'array-line': () => put('[1]\n'),
  'two-lines': (seq, answer) => put(line(seq, answer) + line(seq, answer)),
  'text-after-answer': (seq, answer) => put(`${line(seq, answer)}done\n`),
  'no-line-end': (seq, answer) => put(line(seq, answer).trimEnd()),
  'too-long': async () => {
    const piece = 'x'.repeat(1024 * 1024)
    for (let written = 0; written < 33; written++) put(piece)
    await never()
  },
  'wrong-seq': (seq, answer) => put(line(seq + 1, answer)),
  'wrong-p': (seq, answer) => put(line(seq, answer).replace('"p":1', '"p":2')),
  'no-seq': (seq, answer) => put(line(seq, answer).replace(`,"seq":${seq}`, '')),
  'two-kinds': (seq, answer) => put(line(seq, { ...answer, skipped: 'no' })),
  'no-kind': (seq) => put(line(seq, {})),
  'wrong-result': (seq) => put(line(seq, { result: 'ok' })),
  'text-error': (seq) => put(line(seq, { error: 'TypeError' })),
  error: (seq) => put(line(seq, { error: { message: 'TypeError: x is undefined' } })),
  'exit-after-answer': (seq, answer) => {
    process.stderr.write('fatal: at exit\n')
    process.stdout.write(line(seq, answer), () => process.exit(4))
    return never()
  },
  'second-start-fails': () => process.exit(1),
  skip: (seq) => put(line(seq, { skipped: 'no such API' })),
  'wrong-verdict': (seq) => put(line(seq, { result: 'invalid', reason: 'signature_mismatch' })),
  'ignores-sigterm': () => {
    process.on('SIGTERM', () => {})
    writeFileSync(file, String(process.pid))
    return never()
  },
  grandchild: () => {
    const child = spawn('sleep', ['1000'], { stdio: ['ignore', 'inherit', 'inherit'] })
    writeFileSync(file, String(child.pid))
    return never()
  },
  'orphan-then-exit': () => {
    const child = spawn('sleep', ['1000'], { stdio: ['ignore', 'inherit', 'inherit'] })
    writeFileSync(file, String(child.pid))
    process.exit(0)
  },
  'leaves-it-broken': (seq, answer) => {
    put(line(seq, answer))
    isBroken = true
  },
}

/** What is done at every case. */
const ALWAYS = {
  reasonless: (seq, { result }) => put(line(seq, { result })),
  'looks-at-no-future': (seq, answer) =>
    put(line(seq, answer.reason === 'timestamp_too_new' ? VALID : answer)),
  'always-valid': (seq) => put(line(seq, VALID)),
  'always-invalid': (seq) => put(line(seq, { result: 'invalid' })),
  'always-error': (seq) => put(line(seq, { error: { message: 'no such method' } })),
  'previous-answer': (seq, answer) => {
    put(line(seq, last))
    last = answer
  },
  'wrong-made': (seq, answer, _, op) =>
    put(
      line(
        seq,
        op === 'verify' ? answer : { ...VALID, output: { header: 't=1,v1=00', mac: '00' } },
      ),
    ),
  'skips-made': (seq, answer, _, op) =>
    put(line(seq, op === 'verify' ? answer : { skipped: 'no API' })),
  'number-output': (seq, { output, ...answer }) => {
    const timestamp = Number(output?.timestamp)
    put(line(seq, output ? { ...answer, output: { ...output, timestamp } } : answer))
  },
  'crash-in-trial': () => {
    process.stderr.write("fatal: \u001b[31mno module named 'acme'\n")
    process.exit(6)
  },
  // Takes its time before it reads the line behind the trial, and none over it.
  'reads-late': (seq, answer) => {
    put(line(seq, answer))
    if (seq === 6) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)
  },
  unflushed: (seq, answer) => {
    kept += line(seq, answer)
  },
  'second-answer-late': (seq, answer, id) => {
    if (id === 'paymos/hdr-005') put(kept)
    if (id === TARGET) kept = line(seq, answer)
    put(line(seq, answer))
  },
  'fills-stderr': (seq, answer) => {
    process.stderr.write('x'.repeat(200_000))
    put(line(seq, answer))
  },
  crlf: (seq, answer) => put(line(seq, answer).replace('\n', '\r\n')),
  'more-members': (seq, answer) => put(line(seq, { ...answer, note: 1, trace: [] })),
  'crash-each-time': (seq, answer, id) => (id ? process.exit(1) : put(line(seq, answer))),
}

let last = VALID
let kept = ''
let isBroken = false

if (behaviour === 'exit-at-start') {
  process.stderr.write("Traceback: no module named 'acme'\n")
  process.exit(1)
}
if (behaviour === 'second-start-fails') {
  if (existsSync(file)) process.exit(1)
  writeFileSync(file, '')
}

for await (const text of createInterface({ input: process.stdin })) {
  const { seq, cmd, id, profile, op, input } = JSON.parse(text)
  if (cmd === 'hello') {
    if (behaviour === 'garbage-at-hello') put('Welcome to PHP 8\n')
    put(line(seq, HELLOS[behaviour] ?? hello))
    continue
  }
  if (cmd === 'bye') {
    if (behaviour === 'answers-bye') put(line(seq, VALID))
    if (behaviour === 'says-goodbye') put('Goodbye!\n')
    if (behaviour === 'late-at-bye') put(line(seq - 1, VALID))
    if (behaviour === 'stays-after-bye') await never()
    if (behaviour === 'exit-7-after-bye') process.exit(7)
    break
  }
  if (isBroken) process.exit(3)
  const answer = await judge(profile, op, input)
  const act = (id === TARGET && AT_TARGET[behaviour]) || ALWAYS[behaviour]
  if (act === undefined) put(line(seq, answer))
  else await act(seq, answer, id, op)
}
if (behaviour === 'unflushed') put(kept)

async function judge(profile, op, { headers, body, secrets, key, message, ...rest }) {
  const bytes = (text) => text && Buffer.from(text, 'base64')
  const lines = headers?.map(([name, value]) => [name, bytes(value)])
  try {
    return await operations[op](profile, {
      ...rest,
      headers: lines,
      body: bytes(body),
      secrets: secrets?.map(bytes),
      key: bytes(key),
      message: bytes(message),
    })
  } catch (error) {
    return { result: 'invalid', reason: error.code }
  }
}
