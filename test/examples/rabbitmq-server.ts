import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { leftOut } from '../requirements.ts'
import { freePort } from '../runtimes/host/free-port.js'
import { within, withProgram } from '../runtimes/host/processes.js'

// A RabbitMQ server of its own for whoever asks, on loopback, gone with its folder when it ends.

const SERVER = '/usr/lib/rabbitmq/bin/rabbitmq-server'

/** Whether tests on RabbitMQ run here; under CI they must. */
export function hasRabbitMq(): boolean {
  return !leftOut(existsSync(SERVER) ? [] : ['rabbitmq-server'])
}

export interface RabbitMqServer {
  readonly url: string
  readonly port: number
  readonly start: () => Promise<void>
  /** Ends it, with its folder left for another start. */
  readonly stop: () => Promise<void>
  /** Stops it and removes its folder. */
  readonly end: () => Promise<void>
}

export async function startRabbitMq(): Promise<RabbitMqServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hookproof-rabbitmq-'))
  const [port, epmdPort, distributionPort] = [await freePort(), await freePort(), await freePort()]
  const path = (name: string) => join(folder, name)
  for (const name of ['data', 'log', 'schema']) mkdirSync(path(name))
  writeFileSync(path('rabbitmq.conf'), `listeners.tcp.default = 127.0.0.1:${port}\n`)
  writeFileSync(path('enabled_plugins'), '[].\n')
  const asRoot = process.getuid?.() === 0
  if (asRoot) {
    const id = async (flag: string) =>
      Number((await promisify(execFile)('id', [flag, 'rabbitmq'])).stdout)
    const owner = [await id('-u'), await id('-g')] as const
    for (const name of ['', 'data', 'log', 'schema']) chownSync(path(name), ...owner)
  }
  const env = {
    ...process.env,
    HOME: folder,
    RABBITMQ_NODENAME: `hookproof${port}@localhost`,
    RABBITMQ_CONFIG_FILE: path('rabbitmq.conf'),
    RABBITMQ_CONF_ENV_FILE: path('no-such-file'),
    RABBITMQ_ENABLED_PLUGINS_FILE: path('enabled_plugins'),
    RABBITMQ_MNESIA_BASE: path('data'),
    RABBITMQ_LOG_BASE: path('log'),
    RABBITMQ_SCHEMA_DIR: path('schema'),
    RABBITMQ_GENERATED_CONFIG_DIR: path('schema'),
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(epmdPort),
  }
  /** As a program of this process's, which ends with it. */
  const program = (command: string, args: readonly string[]) =>
    running(
      asRoot ? 'runuser' : command,
      asRoot ? ['-u', 'rabbitmq', '--', command, ...args] : args,
      { env, cwd: folder },
    )
  // Its own: the server would else leave one behind.
  const epmd = program('epmd', [])
  await listening(epmdPort)
  let server: Running | undefined
  const start = async () => {
    server = program(SERVER, [])
    await within(60, Promise.race([listening(port), server.ended]), 'RabbitMQ')
  }
  const stop = async () => server?.end()
  await start()
  return {
    url: `amqp://127.0.0.1:${port}`,
    port,
    start,
    stop,
    async end() {
      await stop()
      await epmd.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Running {
  /** Rejects with what it printed. */
  readonly ended: Promise<never>
  readonly end: () => Promise<void>
}

function running(command: string, args: readonly string[], options: object): Running {
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let failed: (error: Error) => void
  const ended = new Promise<never>((_, reject) => {
    failed = reject
  })
  ended.catch(() => {})
  const over = withProgram(
    command,
    args,
    async (program) => {
      program.ended.then(
        (code) => failed(new Error(`${command}: ${code}\n${program.text()}${program.errors()}`)),
        failed,
      )
      await finished
    },
    options,
  )
  return {
    ended,
    async end() {
      finish()
      await over
    },
  }
}

/** Waits until something takes connections there. */
async function listening(port: number): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ host: '127.0.0.1', port })
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
