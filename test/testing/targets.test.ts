import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  childProcess,
  createSender,
  type KitOptions,
  paymosEvent,
  replayKit,
  toMessage,
} from 'hookproof/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listening } from '../adapters/servers.ts'
import { startProgram } from '../runtimes/host/processes.js'
import { SECRET } from './receiver.ts'

// The same verdicts by URL and of a process that is killed, over real sockets and real files.

const PROGRAM = fileURLToPath(new URL('programs/receiver.js', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookproof-receiver-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function kitOptions(): Omit<KitOptions, 'target'> {
  const booked = join(folder, 'booked')
  return {
    secret: SECRET,
    quietMs: 60,
    observe: (id) =>
      existsSync(booked) ? readdirSync(booked).filter((name) => name.startsWith(id)).length : 0,
    bookByHand: (id) => writeFileSync(join(booked, id), '', { flag: 'wx' }),
  }
}

const child = (fault: string) =>
  childProcess({
    command: process.execPath,
    args: [PROGRAM, folder, fault],
    url: /listening on (\S+)/u,
  })

test('a right receiver in a process shows all that needs no gate, and is gone then', async () => {
  const target = child('none')
  const { results, text, target: name } = await replayKit({ ...kitOptions(), target }).run()
  const others = results.filter(({ outcome }) => outcome !== 'shown').map(({ id }) => id)
  expect(others, text).toEqual(['work-fails-once'])
  console.log(text)
  await expect(fetch(name)).rejects.toThrow()
})

test.each([
  ['no-row', 'crash'],
  ['no-guard', 'two-endpoints'],
])('a receiver with %s in a process is caught by %s', async (fault, id) => {
  const report = await replayKit({ ...kitOptions(), target: child(fault), settleMs: 400 }).run([id])
  expect(
    report.results.map(({ outcome }) => outcome),
    report.text,
  ).toEqual(['failed'])
})

test('a right receiver by URL shows all that needs no gate and no crash', async () => {
  const { url, end } = await startProgram(process.execPath, [PROGRAM, folder, 'none'])
  const { results, text, durationMs } = await replayKit({ ...kitOptions(), target: url }).run()
  await end()
  console.log(`by URL: ${durationMs} ms`)
  const others = results.filter(({ outcome }) => outcome !== 'shown').map(({ id }) => id)
  expect(others, text).toEqual(['work-fails-once', 'crash'])
})

describe('a URL', () => {
  const sender = (target: string, allowHost?: string) =>
    createSender({ target, secret: SECRET, ...(allowHost && { allowHost }) })
  const message = toMessage(paymosEvent('invoice.paid'))

  test.each([
    'https://shop.example/webhooks',
    'http://10.0.0.1/',
    'http://0.0.0.0:3000/',
    'http://127.0.0.1.nip.io/',
    'http://127.1.evil.example/',
    'http://[::ffff:10.0.0.1]/',
  ])('of another host is refused unless it is named: %s', (url) => {
    expect(() => sender(url)).toThrow(expect.objectContaining({ code: 'testing_invalid' }))
    expect(() => sender(url, new URL(url).hostname)).not.toThrow()
    expect(() => sender(url, 'other.example')).toThrow('allowHost')
  })

  test.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'http://a:b@127.0.0.1/', 'nonsense', ''])(
    'of another kind is refused: %s',
    (url) =>
      expect(() => sender(url)).toThrow(expect.objectContaining({ code: 'testing_invalid' })),
  )

  test('that redirects is not followed', async () => {
    let followed = 0
    const server = createServer((request, response) => {
      if (request.url !== '/') followed++
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    await listening(server, async (url) => {
      const attempt = await sender(url).send(message)
      expect(attempt).toMatchObject({ outcome: 'status', status: 307 })
    })
    expect(followed).toBe(0)
  })

  test('that nobody listens at is refused, and a connection that ends is broken', async () => {
    const server = createServer((request) => request.socket.destroy())
    let gone = ''
    await listening(server, async (url) => {
      gone = url
      expect((await sender(url).send(message)).outcome).toBe('broken')
    })
    expect((await sender(gone).send(message)).outcome).toBe('refused')
  })
})
