import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type ChildOptions,
  childProcess,
  createSender,
  type KitOptions,
  paymosEvent,
  replayKit,
  toMessage,
} from 'hookproof/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listening } from '../adapters/servers.ts'
import { leftOut } from '../requirements.ts'
import { outputOf, startProgram } from '../runtimes/host/processes.js'
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
  expect(others, text).toEqual(['work-fails-once', 'acknowledged-in-flight'])
  console.log(text)
  await expect(fetch(name)).rejects.toThrow()
})

const RUNTIMES: readonly (readonly [name: string, program: string, ...args: string[]])[] = [
  ['Bun', 'test/runtimes/node_modules/@oven/bun-linux-x64/bin/bun'],
  ['Deno', 'test/runtimes/node_modules/@deno/linux-x64-glibc/deno', 'run', '--allow-all'],
]

describe.each(RUNTIMES)('in %s', (_, program, ...args) => {
  test.skipIf(leftOut(existsSync(program) ? [] : [program]))('the same is shown', async () => {
    const script = fileURLToPath(new URL('programs/prove.js', import.meta.url))
    const given = [...args, script, process.execPath, folder]
    expect(await outputOf(program, given, 60, process.cwd())).toBe(
      'P4 work-fails-once acknowledged-in-flight\n',
    )
  })
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

test.each([
  ['none', 'shown', 'shown'],
  ['lease', 'failed', 'failed'],
  ['in-flight', 'shown', 'failed'],
])('a receiver with %s, killed while its work is held: %s, %s', async (fault, ...outcomes) => {
  const hold = join(folder, 'hold')
  const gate = { hold: () => writeFileSync(hold, ''), release: () => rmSync(hold) }
  const options = { ...kitOptions(), gate, target: child(fault), settleMs: 400 }
  const kit = replayKit(options)
  for (let run = 0; run < 3; run++) {
    const { results, text } = await kit.run(['crash', 'acknowledged-in-flight'])
    expect(
      results.map(({ outcome }) => outcome),
      text,
    ).toEqual(outcomes)
  }
})

test('a right receiver by URL shows all that needs no gate and no crash', async () => {
  const { url, end } = await startProgram(process.execPath, [PROGRAM, folder, 'none'])
  const { results, text, durationMs } = await replayKit({ ...kitOptions(), target: url }).run()
  await end()
  console.log(`by URL: ${durationMs} ms`)
  const others = results.filter(({ outcome }) => outcome !== 'shown').map(({ id }) => id)
  expect(others, text).toEqual(['work-fails-once', 'crash', 'acknowledged-in-flight'])
})

describe('a program that cannot be a target', () => {
  const start = (options: Partial<ChildOptions>) =>
    childProcess({ command: process.execPath, url: 'http://127.0.0.1:9/', ...options }).start()

  test.each<[string, Partial<ChildOptions>, string]>([
    ['is not there', { command: 'no-such-program' }, 'no-such-program ended'],
    ['fails', { args: ['-e', 'console.error("no port"); process.exit(3)'] }, 'ended: no port'],
    ['does not listen', { args: ['-e', 'setInterval(() => {}, 1e3)'], startMs: 300 }, 'in time'],
  ])('because it %s is a mistake', async (_, options, words) => {
    await expect(start(options)).rejects.toMatchObject({
      code: 'testing_invalid',
      message: expect.stringContaining(words),
    })
  })

  test('because it listens elsewhere is a mistake', async () => {
    const target = { start: async () => 'http://shop.example/', kill: async () => {} }
    const kit = replayKit({ ...kitOptions(), target })
    await expect(kit.run(['P1'])).rejects.toThrow('allowHost')
  })
})

test('a program ends with all that it has started', async () => {
  const script = `
    const { spawn } = require('node:child_process')
    const worker = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)'])
    const server = require('node:http').createServer((_, response) => response.end())
    server.listen(0, '127.0.0.1', () =>
      console.log('http://127.0.0.1:' + server.address().port + '/' + worker.pid))`
  const args = ['-e', script]
  const target = childProcess({ command: process.execPath, args, url: /(http:\S+)/u })
  const worker = Number((await target.start()).split('/').at(-1))
  expect(() => process.kill(worker, 0)).not.toThrow()
  await target.kill()
  await expect.poll(() => isRunning(worker)).toBe(false)
})

/** A process that has ended is there until its parent, which is gone, too, has been told. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

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

  test('that ends in the middle of its answer has answered', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      setTimeout(() => response.destroy(), 5)
    })
    await listening(server, async (url) => {
      expect((await sender(url).send(message)).outcome).toBe('delivered')
      await new Promise((resolve) => setTimeout(resolve, 20))
    })
  })

  test('that never answers is given up, and its connection closed', async () => {
    let isClosed = false
    const server = createServer((request) => {
      request.socket.once('close', () => {
        isClosed = true
      })
      request.resume()
    })
    await listening(server, async (url) => {
      const attempt = await createSender({ target: url, secret: SECRET, timeoutMs: 30 }).send(
        message,
      )
      expect(attempt.outcome).toBe('timeout')
      await expect.poll(() => isClosed).toBe(true)
    })
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
