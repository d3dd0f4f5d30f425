import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createVerifier } from '../../dist/index.js'
import { github, meta, standardWebhooks, stripe } from '../../dist/schemes/index.js'
import { bodyOf, command, type Received, SECRET, withServer } from './receiver.ts'

interface Sent {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  readonly received: readonly Received[]
}

/** Sends to a server that answers as told. */
async function send(
  args: readonly string[],
  answer: { status?: number; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Sent> {
  const received: Received[] = []
  const { status = 204, headers = {}, body } = answer
  return withServer(
    async (request, response) => {
      received.push({
        headers: request.headers as Record<string, string>,
        body: await bodyOf(request),
      })
      response.writeHead(status, headers)
      response.end(body)
    },
    async (url) => ({ ...(await command(['send', ...args, '--to', url])), received }),
  )
}

const now = () => Math.floor(Date.now() / 1000)

test('sends one genuine delivery and prints its answer', async () => {
  const { status, stdout, stderr, received } = await send(['invoice.paid'], { status: 202 })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const [{ headers, body }] = received as [Received]
  const event = JSON.parse(String(body))
  const header = headers['x-webhook-signature'] ?? ''
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/u.exec(header) ?? []
  const mac = createHmac('sha256', SECRET).update(`${t}.`).update(body).digest('hex')
  expect(v1).toBe(mac)
  expect(Math.abs(now() - Number(t))).toBeLessThan(60)
  expect(headers).toMatchObject({
    'x-webhook-id': event.event_id,
    'content-type': 'application/json; charset=utf-8',
  })
  expect(event.event_type).toBe('invoice.paid')
  expect(stdout).toMatch(
    new RegExp(
      `^invoice\\.paid ${event.event_id} about ${event.data.invoice_id}\n  1  202 in \\d+ ms\n$`,
      'u',
    ),
  )
})

test('--times sends identical bytes', async () => {
  const { stdout, received } = await send(['withdrawal.completed', '--times', '3'])
  expect(new Set(received.map(({ body }) => String(body))).size).toBe(1)
  expect(received).toHaveLength(3)
  expect(stdout.match(/^ {2}\d {2}204 in \d+ ms$/gmu)).toHaveLength(3)
})

test('--parallel sends them at the same time', async () => {
  let arrived = 0
  let open = () => {}
  const all = new Promise<void>((resolve) => {
    open = resolve
  })
  const { status } = await withServer(
    async (_, response) => {
      if (++arrived === 5) open()
      await all
      response.end()
    },
    (url) => command(['send', 'invoice.paid', '--to', url, '--times', '5', '--parallel']),
  )
  expect({ status, arrived }).toEqual({ status: 0, arrived: 5 })
})

test('--id, --resource and --order stand in the event, --header-id beside it', async () => {
  const ids = ['--id', 'evt_a', '--resource', 'inv_b', '--order', 'order-c', '--header-id', 'evt_d']
  const [{ headers, body }] = (await send(['invoice.paid', ...ids])).received as [Received]
  const { event_id, data } = JSON.parse(String(body))
  expect([event_id, data.invoice_id, data.order.external_id]).toEqual(['evt_a', 'inv_b', 'order-c'])
  expect(headers['x-webhook-id']).toBe('evt_d')
  const verdict = await createVerifier({ secret: SECRET }).verify({ headers, body })
  expect(verdict).toMatchObject({ ok: true, warnings: ['delivery_id_mismatch'] })
})

test.each([
  [['--t', '1700000000'], () => 1_700_000_000],
  [['--t=-600'], () => now() - 600],
  [['--t=+600'], () => now() + 600],
])('%j is the time that is signed', async (args, expected) => {
  const [{ headers }] = (await send(['invoice.paid', ...args])).received as [Received]
  const [, t] = /^t=(\d+),/u.exec(headers['x-webhook-signature'] ?? '') ?? []
  expect(Math.abs(Number(t) - expected())).toBeLessThan(60)
})

test('the 16 types are sent, each about a resource of its kind', async () => {
  for (const [type, name] of [
    ['invoice.underpaid', 'invoice_id'],
    ['withdrawal.failed', 'withdrawal_id'],
    ['payment_channel.deposit.confirmed', 'id'],
  ] as const) {
    const { received } = await send([type, '--resource', 'res_1'])
    const { event_type, data } = JSON.parse(String(received[0]?.body))
    expect([event_type, data[name]]).toEqual([type, 'res_1'])
  }
})

test.each([
  ['stripe', stripe, 'payment_intent.succeeded'],
  ['standard-webhooks', standardWebhooks, 'invoice.paid'],
  ['github', github, 'release'],
  ['meta', meta, 'messages'],
] as const)('--scheme %s is accepted by its verifier', async (name, scheme, type) => {
  const { received } = await send([type, '--scheme', name, '--id', 'evt_mine'])
  const { verify } = createVerifier<unknown>({ secret: SECRET, scheme })
  const verdict = await verify(received[0] as Received)
  const id = name === 'meta' ? {} : { id: 'evt_mine' }
  const known = name === 'meta' ? 'whatsapp_business_account' : type
  expect(verdict).toMatchObject({ ok: true, delivery: { type: known, ...id } })
})

describe('an answer that is no 2xx exits with 1', () => {
  test('a refusal, with the beginning of what it says', async () => {
    const { status, stdout } = await send(['invoice.paid'], {
      status: 401,
      body: '{"error":"signature"}',
    })
    expect(status).toBe(1)
    expect(stdout).toMatch(/^ {2}1 {2}401 in \d+ ms {2}"\{\\"error\\":\\"signature\\"\}"$/mu)
  })

  test('a redirect, which is not followed', async () => {
    let followed = 0
    await withServer(
      (_, response) => {
        followed++
        response.end()
      },
      async (Location) => {
        const { status, stdout } = await send(['invoice.paid'], {
          status: 307,
          headers: { Location },
        })
        expect(status).toBe(1)
        expect(stdout).toContain('  1  307 in ')
      },
    )
    expect(followed).toBe(0)
  })

  test('what a terminal would obey is escaped', async () => {
    const body = `\u001b[2J${'x'.repeat(5000)}`
    const { stdout } = await send(['invoice.paid'], { status: 500, body })
    expect(stdout).toContain('"\\u001b[2Jxxx')
    expect(stdout.length).toBeLessThan(400)
  })

  test('nobody listens, or the connection breaks', async () => {
    const url = await withServer(
      () => {},
      async (closed) => closed,
    )
    const nobody = await command(['send', 'invoice.paid', '--to', url])
    expect(nobody).toMatchObject({ status: 1, stdout: expect.stringContaining('nobody listens') })
    const broken = await withServer(
      (request) => request.socket.destroy(),
      (there) => command(['send', 'invoice.paid', '--to', there]),
    )
    expect(broken.stdout).toContain('the connection ended without an answer')
    expect(broken.status).toBe(1)
  })

  test('the connection is closed at once, before anything is read', async () => {
    const server = createTcpServer((socket) => socket.end())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { status, stdout } = await command([
      'send',
      'invoice.paid',
      '--to',
      `http://127.0.0.1:${port}/`,
    ])
    server.close()
    expect(stdout).toMatch(/^ {2}1 {2}the connection ended without an answer after \d+ ms$/mu)
    expect(status).toBe(1)
  })

  test('a status is the answer, though its body never ends', { timeout: 30_000 }, async () => {
    const { status, stdout } = await withServer(
      (_, response) => {
        response.writeHead(200)
        const more = () => response.write('z'.repeat(65_536), more)
        more()
      },
      (url) => command(['send', 'invoice.paid', '--to', url]),
    )
    expect(stdout).toMatch(/^ {2}1 {2}200 in \d+ ms {2}"?z{100}/mu)
    expect(status).toBe(0)
  })
})

test('--json is one line with every answer', async () => {
  const { stdout, received } = await send(['invoice.paid', '--times', '2', '--json'], {
    status: 200,
    body: 'ok',
  })
  const { event_id, data } = JSON.parse(String(received[0]?.body))
  const answer = { status: 200, body: 'ok', durationMs: expect.any(Number) }
  expect(stdout).toMatch(/^\{.*\}\n$/u)
  expect(JSON.parse(stdout)).toEqual({
    id: event_id,
    type: 'invoice.paid',
    resource: data.invoice_id,
    answers: [answer, answer],
  })
})

const TO = ['--to', 'http://127.0.0.1:9/']
test.each([
  [['invoice.paid'], 'arguments_invalid'],
  [TO, 'arguments_invalid'],
  [['invoice.shipped', ...TO], 'type_unknown'],
  [['a b', ...TO, '--scheme', 'stripe'], 'type_unknown'],
  [['invoice.paid', '--to', 'ftp://127.0.0.1/'], 'url_invalid'],
  [['invoice.paid', '--to', 'http://user:word@127.0.0.1/'], 'url_invalid'],
  [['invoice.paid', '--to', 'http://192.0.2.1/'], 'url_invalid'],
  [['invoice.paid', '--to', 'http://192.0.2.1/', '--allow-host', '192.0.2.2'], 'url_invalid'],
  [['invoice.paid', '--to', 'http://127.0.0.1.example/'], 'url_invalid'],
  [['invoice.paid', ...TO, '--times', '0'], 'arguments_invalid'],
  [['invoice.paid', ...TO, '--times', '1001'], 'arguments_invalid'],
  [['invoice.paid', ...TO, '--t', 'now'], 'timestamp_invalid'],
  [['invoice.paid', ...TO, '--id', 'a b'], 'id_invalid'],
  [['invoice.paid', ...TO, '--header-id', 'a\nb'], 'id_invalid'],
  [['messages', ...TO, '--scheme', 'meta', '--header-id', 'a'], 'arguments_invalid'],
  [['invoice.paid', ...TO, '--scheme', 'unheard'], 'scheme_invalid'],
  [['invoice.paid', ...TO, '--secret-env', 'PATH', '--secret-env', 'PATH'], 'arguments_invalid'],
  [['invoice.paid', ...TO, '--secret-env', 'NOT_SET'], 'secret_missing'],
  [['invoice.paid', ...TO, '--secret', 'x'], 'secret_on_command_line'],
])('%j is misuse: exit 2', async (args, code) => {
  const run = await command(['send', ...args])
  expect(run).toMatchObject({ status: 2, stdout: '' })
  expect(run.stderr).toMatch(/^hookproof: .+\n$/u)
  const { stdout } = await command(['send', ...args, '--json'])
  expect(JSON.parse(stdout).error.code).toBe(code)
})

test('the secret comes from a file or standard input as well', async () => {
  const args = ['invoice.paid', '--secret-file', '-']
  const { received, status } = await withServerAndInput(args, `${SECRET}\n`)
  expect(status).toBe(0)
  const { verify } = createVerifier({ secret: SECRET })
  expect(await verify(received as Received)).toMatchObject({ ok: true })
})

async function withServerAndInput(args: readonly string[], input: string) {
  let received: Received | undefined
  const { status } = await withServer(
    async (request, response) => {
      received = {
        headers: request.headers as Record<string, string>,
        body: await bodyOf(request),
      }
      response.end()
    },
    (url) => command(['send', ...args, '--to', url], { env: { HOOKPROOF_SECRET: '' }, input }),
  )
  return { received, status }
}
