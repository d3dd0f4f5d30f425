import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSigner } from '../../dist/index.js'
import { hasPostgres, type PostgresServer, startPostgres } from '../inbox/postgres-server.ts'
import { within, withProgram } from '../runtimes/host/processes.js'
import { hasLibraries, programFolder, programIn } from './programs.ts'
import { hasRabbitMq, type RabbitMqServer, startRabbitMq } from './rabbitmq-server.ts'

// docs/examples/rabbitmq.js, on the real servers.

const SECRET = 'test_only_rabbitmq'
const signer = createSigner({ secret: SECRET })

interface Program {
  readonly says: (line: RegExp) => Promise<RegExpExecArray>
  readonly kill: () => Promise<void>
}

const isReady = hasLibraries('amqplib', 'pg') && hasPostgres() && hasRabbitMq()

describe.runIf(isReady)('docs/examples/rabbitmq.js', () => {
  const folder = programFolder()
  let broker: RabbitMqServer
  let postgres: PostgresServer
  let pool: { query(text: string): Promise<{ rows: object[] }>; end(): Promise<void> }
  beforeAll(async () => {
    postgres = await startPostgres()
    broker = await startRabbitMq()
    const { Pool } = createRequire(`${folder.path}/`)('pg')
    pool = new Pool({ connectionString: postgres.url })
  }, 120_000)
  afterAll(async () => {
    await pool?.end()
    await broker?.end()
    await postgres?.end()
    folder.remove()
  })

  const withExample = <T>(
    what: 'receive' | 'consume',
    use: (program: Program) => Promise<T>,
    url = broker.url,
  ): Promise<T> =>
    withProgram(
      process.execPath,
      [programIn(folder.path, 'rabbitmq.js'), what],
      async ({ child, ended, text, errors }) => {
        const says = async (line: RegExp) => {
          for (;;) {
            const found = line.exec(text())
            if (found !== null) return found
            const over = await Promise.race([ended, pause(20)])
            if (over !== undefined) throw new Error(`ended with ${over}:\n${text()}${errors()}`)
          }
        }
        return use({
          says: (line) =>
            within(30, says(line), `${line}`).catch((error) => {
              throw new Error(`${error.message}:\n${text()}${errors()}`)
            }),
          async kill() {
            process.kill(child.pid as number, 'SIGKILL')
            await ended
          },
        })
      },
      {
        env: {
          ...process.env,
          ...{ AMQP_URL: url, DATABASE_URL: postgres.url, WEBHOOK_SECRET: SECRET, PORT: '0' },
        },
      },
    )

  const post = async ({ says }: Program, id: string, invoice: string) => {
    const [, url = ''] = await says(/listening on (\S+)/u)
    const event = { event_id: id, event_type: 'invoice.paid', version: 1, occurred_at: 1 }
    const body = JSON.stringify({ ...event, data: { invoice_id: invoice } })
    const headers = { ...(await signer.sign({ body })) }
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
  const booked = async () =>
    (await pool.query('select invoice_id as id from booking order by 1')).rows.map(
      (row) => (row as { id: string }).id,
    )

  test('books each payment once: sent twice, through two endpoints, while the broker was away', async () => {
    await withExample('receive', async (receiver) => {
      await withExample('consume', async (consumer) => {
        expect(await post(receiver, 'evt_1', 'inv_1')).toBe(202)
        expect(await post(receiver, 'evt_1', 'inv_1')).toBe(200)
        await consumer.says(/^booked evt_1$/mu)
        expect(await post(receiver, 'evt_2', 'inv_1')).toBe(202)
        await consumer.says(/^known evt_2$/mu)
      })
      await broker.stop()
      expect(await post(receiver, 'evt_3', 'inv_3')).toBe(202)
      await receiver.says(/^retry evt_3$/mu)
      await broker.start()
      await receiver.says(/^done evt_3$/mu)
      await withExample('consume', ({ says }) => says(/^booked evt_3$/mu))
    })
    expect(await booked()).toEqual(['inv_1', 'inv_3'])
  }, 120_000)

  test('a consumer that is killed between the booking and its acknowledgement: the message comes again, and books nothing', async () => {
    await withExample('receive', async (receiver) => {
      await withExample('consume', async ({ says }) => says(/^consuming$/mu))
      await withoutAcknowledgements(broker.port, async (url, held) => {
        await withExample(
          'consume',
          async ({ kill, says }) => {
            await post(receiver, 'evt_4', 'inv_4')
            await says(/^booked evt_4$/mu)
            await held
            expect(await booked()).toContain('inv_4')
            await kill()
          },
          url,
        )
      })
      await withExample('consume', ({ says }) => says(/^known evt_4$/mu))
    })
    expect((await booked()).filter((id) => id === 'inv_4')).toEqual(['inv_4'])
  }, 120_000)
})

/** A way to the broker on which no acknowledgement gets through; `held` once one did not. */
async function withoutAcknowledgements(
  port: number,
  use: (url: string, held: Promise<void>) => Promise<void>,
): Promise<void> {
  const sockets: Socket[] = []
  let hold = () => {}
  const held = new Promise<void>((resolve) => {
    hold = resolve
  })
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    sockets.push(client, upstream)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    upstream.pipe(client)
    client.on('data', (chunk) => {
      // basic.ack is method 80 of class 60 (AMQP 0-9-1, 1.8.3.13).
      if (chunk.includes(Buffer.from([0, 60, 0, 80]))) hold()
      else upstream.write(chunk)
    })
    client.on('close', () => upstream.destroy())
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  try {
    await use(`amqp://127.0.0.1:${(proxy.address() as AddressInfo).port}`, held)
  } finally {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  }
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined))
}
