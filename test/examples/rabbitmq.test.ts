import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres } from '../inbox/postgres-server.ts'
import {
  hasFiles,
  library,
  type Program,
  pay,
  programFolder,
  programIn,
  withExample,
} from './programs.ts'
import { hasRabbitMq, type RabbitMqServer, startRabbitMq } from './rabbitmq-server.ts'
import { type ShopDatabase, startShopDatabase } from './shop-database.ts'

// docs/examples/rabbitmq.js, on the real servers.

const isReady = hasFiles(library('amqplib'), library('pg')) && hasPostgres() && hasRabbitMq()

describe.runIf(isReady)('docs/examples/rabbitmq.js', () => {
  const folder = programFolder()
  let broker: RabbitMqServer
  let database: ShopDatabase
  beforeAll(async () => {
    database = await startShopDatabase(folder.path)
    broker = await startRabbitMq()
  }, 120_000)
  afterAll(async () => {
    await broker?.end()
    await database?.end()
    folder.remove()
  })

  const run = <T>(
    what: 'receive' | 'consume',
    use: (program: Program) => Promise<T>,
    url = broker.url,
  ) =>
    withExample(
      {
        file: programIn(folder.path, 'rabbitmq.js'),
        args: [what],
        env: { AMQP_URL: url, DATABASE_URL: database.url },
      },
      use,
    )

  test('books each payment once: sent twice, through two endpoints, while the broker was away', async () => {
    await run('receive', async (receiver) => {
      await run('consume', async (consumer) => {
        expect(await pay(receiver, 'evt_1', 'inv_1')).toBe(202)
        expect(await pay(receiver, 'evt_1', 'inv_1')).toBe(200)
        await consumer.says(/^booked evt_1$/mu)
        expect(await pay(receiver, 'evt_2', 'inv_1')).toBe(202)
        await consumer.says(/^known evt_2$/mu)
      })
      await broker.stop()
      expect(await pay(receiver, 'evt_3', 'inv_3')).toBe(202)
      await receiver.says(/^retry evt_3$/mu)
      await broker.start()
      await receiver.says(/^done evt_3$/mu)
      await run('consume', ({ says }) => says(/^booked evt_3$/mu))
    })
    expect(await database.booked()).toEqual(['inv_1', 'inv_3'])
  }, 120_000)

  test('a consumer that is killed between the booking and its acknowledgement: the message comes again, and books nothing', async () => {
    await run('receive', async (receiver) => {
      await run('consume', async ({ says }) => says(/^consuming$/mu))
      await withoutAcknowledgements(broker.port, async (url, held) => {
        await run(
          'consume',
          async ({ kill, says }) => {
            await pay(receiver, 'evt_4', 'inv_4')
            await says(/^booked evt_4$/mu)
            await held
            expect(await database.booked()).toContain('inv_4')
            await kill()
          },
          url,
        )
      })
      await run('consume', ({ says }) => says(/^known evt_4$/mu))
    })
    expect((await database.booked()).filter((id) => id === 'inv_4')).toEqual(['inv_4'])
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
