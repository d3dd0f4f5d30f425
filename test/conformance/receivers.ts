import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../runtimes/host/free-port.js'
import { withProgram } from '../runtimes/host/processes.js'

/** The language of the program, by that of its block. */
export type Language = 'python' | 'go' | 'php' | 'ruby' | 'java' | 'rust' | 'c' | 'shell'

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Gives the status that a receiver answers a delivery with. */
export type Receiver = (delivery: Delivery) => Promise<number>

/** Where a receiver is put together. */
interface Place {
  /** An empty folder. */
  readonly folder: string
  /** The adapter's own folder. */
  readonly adapter: string
  readonly secret: string
}

/** Puts a page's program beside the copied verifier, and gives what starts it. */
type Prepare = (code: string, place: Place) => Start

interface Start {
  readonly command: readonly string[]
  /** A program that serves HTTP, or one that a server starts for every request. */
  readonly kind: 'http' | 'cgi'
}

const copy = ({ folder, adapter }: Place, ...names: readonly string[]): void => {
  for (const name of names) {
    cpSync(join(adapter, name), join(folder, name), { recursive: true })
  }
}
const write = ({ folder }: Place, name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const build = ({ folder }: Place, command: string, env: NodeJS.ProcessEnv = {}): void => {
  const options = { cwd: folder, stdio: 'pipe', env: { ...process.env, ...env } } as const
  execFileSync('sh', ['-ec', command], options)
}

/** A Rack server of one request, as a CGI program. */
const RACK = `
require 'stringio'
def run(app) = $app = app
load File.join(__dir__, 'config.ru')
$stdout.sync = true
env = ENV.to_h.merge('rack.input' => StringIO.new($stdin.binmode.read))
status, = $app.call(env)
puts "Status: #{status}"
`

const PREPARE: Readonly<Record<Language, Prepare>> = {
  python(code, place) {
    copy(place, 'hookproof.py')
    return { command: ['python3', write(place, 'receiver.py', code)], kind: 'http' }
  },
  go(code, place) {
    copy(place, 'go.mod', 'hookproof')
    write(place, 'main.go', code)
    build(place, 'go build -o receiver .')
    return { command: [join(place.folder, 'receiver')], kind: 'http' }
  },
  php(code, place) {
    copy(place, 'hookproof.php')
    const file = write(place, 'receiver.php', code)
    return { command: ['php', '-S', '127.0.0.1:8080', file], kind: 'http' }
  },
  ruby(code, place) {
    copy(place, 'hookproof.rb')
    write(place, 'config.ru', code)
    return { command: ['ruby', write(place, 'rack.rb', RACK)], kind: 'cgi' }
  },
  java(code, place) {
    const jars = join(place.adapter, 'target/lib/*')
    const verifier = join(place.adapter, 'src/hookproof/Hookproof.java')
    write(place, 'Receiver.java', code)
    build(place, `javac -d . -cp '${jars}' ${verifier} Receiver.java`)
    return { command: ['java', '-cp', `${place.folder}:${jars}`, 'Receiver'], kind: 'http' }
  },
  rust(code, place) {
    const manifest = readFileSync(join(place.adapter, 'Cargo.toml'), 'utf8')
    const more =
      'axum = "0.8"\ntokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }\n'
    write(place, 'Cargo.toml', manifest.replace('[dependencies]\n', `[dependencies]\n${more}`))
    mkdirSync(join(place.folder, 'src'))
    copy(place, 'Cargo.lock', 'src/hookproof.rs')
    write(place, 'src/main.rs', code)
    const target = join(place.adapter, 'target/receiver')
    build(place, 'cargo build --quiet', { CARGO_TARGET_DIR: target })
    return { command: [join(target, 'debug/adapter')], kind: 'http' }
  },
  c(code, place) {
    copy(place, 'hookproof.c', 'hookproof.h')
    write(place, 'receiver.c', code)
    build(place, 'cc -std=c11 -Wall -Wextra -Werror -o receiver receiver.c hookproof.c -lcrypto')
    return { command: [join(place.folder, 'receiver')], kind: 'cgi' }
  },
  shell(code, place) {
    copy(place, 'hookproof.sh')
    mkdirSync(join(place.folder, 'spool'))
    mkdirSync(join(place.folder, 'keys'))
    write(place, 'keys/secret-1', place.secret)
    const here = code
      .replace('/usr/local/lib/hookproof.sh', join(place.folder, 'hookproof.sh'))
      .replace('/etc/paymos-webhook/', join(place.folder, 'keys/'))
      .replace('/var/spool/paymos/', join(place.folder, 'spool/'))
    return { command: ['sh', write(place, 'receiver.sh', here)], kind: 'cgi' }
  },
}

/** Runs a page's program and lets `use` send it deliveries. */
export async function withReceiver(
  language: Language,
  code: string,
  place: Place,
  use: (receive: Receiver, port: number) => Promise<void>,
): Promise<void> {
  const env = { ...process.env, PAYMOS_WEBHOOK_SECRET: place.secret }
  const port = await freePort()
  const onPort = (text: string) => text.replaceAll('8080', String(port))
  const { command, kind } = PREPARE[language](onPort(code), place)
  const [program = '', ...args] = command.map(onPort)
  if (kind === 'cgi') return use(async (delivery) => asked(program, args, env, delivery), port)
  const url = `http://127.0.0.1:${port}/webhooks/paymos`
  const send: Receiver = async ({ headers, body }) =>
    (await whenListening(() => fetch(url, { method: 'POST', headers, body }))).status
  await withProgram(program, args, () => use(send, port), { env, cwd: place.folder })
}

/** The answer of a CGI program (RFC 3875): headers are variables, the body is its input. */
function asked(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { headers, body }: Delivery,
): number {
  const variables = Object.entries(headers).map(([name, value]) => [
    `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
    value,
  ])
  const options = { env: { ...env, ...Object.fromEntries(variables) }, input: body }
  const { stdout } = spawnSync(program, args, options)
  return Number(/^Status: (\d{3})/mu.exec(stdout.toString())?.[1])
}

/** The status that a body gets whose end never comes; the receiver must listen already. */
export function brokenOff(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      answer += text
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/u.exec(answer)?.[1])))
    const head = ['POST /webhooks/paymos HTTP/1.1', 'Host: x', 'Content-Length: 100']
    socket.end([...head, '', 'ten bytes.'].join('\r\n'))
  })
}

async function whenListening(send: () => Promise<Response>): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      if (attempt === 200) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** The blocks of a page's section about receivers, by their language. */
export function receiverOf(readme: string): readonly (readonly [language: string, code: string])[] {
  const section = /^## In a receiver$(.*?)^## /msu.exec(readme)?.[1] ?? ''
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gmsu)].map(([, language = '', code = '']) => [
    language,
    code,
  ])
}
