import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { webhook } from '../../dist/adapters/node.js'
import { github, meta, paymos, standardWebhooks, stripe } from '../../dist/schemes/index.js'
import { file, nowhere } from './hookproof.ts'
import { bodyOf, command, SECRET, withServer } from './receiver.ts'

interface Given {
  readonly event: unknown
  readonly delivery: { readonly id?: string; readonly type: string }
}

interface Parts {
  readonly scheme?: object
  readonly books?: (given: Given) => boolean
  readonly resourceOf?: (given: Given) => string
  readonly remembers?: boolean
}

/** A receiver with tables in memory, which also says what they hold. */
function shop({
  scheme = paymos,
  books = ({ delivery }) => delivery.type === 'invoice.paid',
  resourceOf = ({ event }) => (event as { data: { invoice_id: string } }).data.invoice_id,
  remembers = true,
}: Parts = {}) {
  const booked = new Map<string, number>()
  const receive = webhook({ secret: SECRET, scheme: scheme as typeof paymos }, (accepted) => {
    const id = resourceOf(accepted as Given)
    if (!books(accepted as Given) || (remembers && booked.has(id))) return
    booked.set(id, (booked.get(id) ?? 0) + 1)
  })
  return async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
    if (pathname === '/webhooks') return receive(request, response)
    const id = searchParams.get('id') ?? ''
    if (pathname === '/book') booked.set(id, 1)
    return response.end(String(booked.get(id) ?? 0))
  }
}

/** The module that asks it; work is over with the answer. */
const module = file(
  'shop.mjs',
  `const ask = async (path, id) => (await fetch(process.env.SHOP + '/' + path + '?id=' + id)).json()
export const observe = (id) => ask('booked', id)
export const bookByHand = (id) => ask('book', id)
export const settle = () => {}
setInterval(() => {}, 1000) // as a pool of connections does
`,
)
const observeAlone = file(
  'observe.mjs',
  `export default async (id) => Number(await (await fetch(process.env.SHOP + '/booked?id=' + id)).text())`,
)

const prove = (url: string, args: readonly string[], setting: Parameters<typeof command>[1] = {}) =>
  command(['prove', url, ...args], {
    ...setting,
    env: { SHOP: new URL('/', url).origin, ...setting?.env },
  })

/** What a shop behind a plain URL cannot show. */
const BY_URL = ['--without', 'crash,work-fails-once,acknowledged-in-flight']

describe('exit statuses', () => {
  test('0: all shown', async () => {
    const run = await withServer(shop(), (url) => prove(url, ['--observe', module, ...BY_URL]))
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toMatch(/^All 25 shown\.$/mu)
  })

  test('1: something failed, with what led to it and a seed that repeats it', async () => {
    const [first, second] = await withServer(shop({ remembers: false }), async (url) => {
      const run = await prove(url, ['--quick', '--observe', module])
      const [, line = ''] = /replay {2}npx hookproof (.*)$/mu.exec(run.stdout) ?? []
      // As a shell reads it.
      const script = `printf '%s\\n' ${line}`
      const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trim().split('\n')
      const env = { SHOP: new URL('/', url).origin }
      return [run, await command(words, { env })] as const
    })
    expect(first.status).toBe(1)
    expect(first.stdout).toMatch(/^ {2}P2 {2}.* FAILED .*effects 2, expected 1$/mu)
    expect(first.stdout).toMatch(/^NOT READY: 4 failed\.$/mu)
    expect(second.status).toBe(1)
    const seed = (text: string) => /^seed (\d+) /mu.exec(text)?.[1]
    expect(seed(second.stdout)).toBe(seed(first.stdout))
    expect(second.stdout).toMatch(/^NOT READY: 1 failed\.$/mu)
  })

  test('3: nothing failed, and something was not shown', async () => {
    const quick = ['--quick', '--observe', observeAlone]
    const run = await withServer(shop(), (url) => prove(url, quick))
    expect(run.status).toBe(3)
    expect(run.stdout).toMatch(/^ {2}P4 {2}.* not shown {2}no bookByHand given$/mu)
    expect(run.stdout).toMatch(/^NOT READY: 1 not shown\.$/mu)
  })
})

test('a line to run it again hides what may be a credential', async () => {
  const observe = 'echo 2 # postgres://shop:hunter2@db/shop'
  const prepare = `echo '{order}' it\\'s fine`
  const args = ['--only', 'P1', '--replay', '7', '--observe', observe, '--prepare', prepare]
  const { stdout } = await withServer(shop(), (url) => prove(url, args))
  expect(stdout).not.toContain('hunter2')
  expect(stdout).toMatch(/replay {2}npx hookproof prove http:\S+ --observe '…' --prepare '/u)
  expect(stdout).toMatch(/ --only P1 --replay 7$/mu)
})

test('--json FILE has the same facts, without the text', async () => {
  const path = file('report.json', '')
  const args = ['--only', 'P1,P3', '--replay', '7', '--observe', module, '--json', path]
  const { stdout } = await withServer(shop(), (url) => prove(url, args))
  const report = JSON.parse(readFileSync(path, 'utf8'))
  expect(report).toMatchObject({ ok: true, seed: 7, mode: 'skip', failed: 0, notShown: 0 })
  expect(report.results.map(({ id }: { id: string }) => id)).toEqual(['P1', 'P3'])
  expect(report).not.toHaveProperty('text')
  expect(stdout).toContain(`${report.deliveries} deliveries`)
})

type Release = { readonly release: { readonly node_id: string } }
type Intent = { readonly data: { readonly object: { readonly id: string } } }
type Data = { readonly data: { readonly id: string } }
type WhatsApp = {
  readonly entry: readonly [
    {
      readonly changes: readonly [
        { readonly value: { readonly messages: readonly Data['data'][] } },
      ]
    },
  ]
}
const SCHEMES = [
  {
    name: 'stripe',
    scheme: stripe,
    books: ({ delivery }: Given) => delivery.type === 'payment_intent.succeeded',
    resourceOf: ({ event }: Given) => (event as Intent).data.object.id,
  },
  {
    name: 'standard-webhooks',
    scheme: standardWebhooks,
    resourceOf: ({ event }: Given) => (event as Data).data.id,
  },
  {
    name: 'github',
    scheme: github,
    books: ({ delivery }: Given) => delivery.type === 'release',
    resourceOf: ({ event }: Given) => (event as Release).release.node_id,
  },
  {
    name: 'meta',
    scheme: meta,
    books: () => true,
    resourceOf: ({ event }: Given) =>
      (event as WhatsApp).entry[0].changes[0].value.messages[0]?.id ?? '',
  },
]
test.each(SCHEMES)('--scheme $name', async ({ name, ...parts }) => {
  const args = ['--scheme', name, '--observe', module, ...BY_URL]
  const run = await withServer(shop(parts), (url) => prove(url, args))
  expect(run.stdout).toMatch(/^All \d\d shown\.$/mu)
  expect(run.status).toBe(0)
  const faulty = { ...parts, remembers: false }
  const quick = ['--quick', '--scheme', name, '--observe', module]
  const second = await withServer(shop(faulty), (url) => prove(url, quick))
  expect(second.status).toBe(1)
})

describe('commands', () => {
  test('print a number, with a state behind it if they like', async () => {
    const args = ['--only', 'P1', '--observe']
    const run = (line: string) => withServer(shop(), (url) => prove(url, [...args, line]))
    expect((await run('echo 2')).stdout).toContain('FAILED     effects 2 before')
    expect((await run("printf '0|new' #")).stdout).toContain('FAILED     effects 0, expected 1')
  }, 30_000)

  test('get the id and the order in their places, else the id at the end', async () => {
    const lines = file('lines.txt', '')
    const args = ['--only', 'P1', '--prepare', `echo {order} {id} >> ${lines}`]
    const observe = `f() { echo "$1" >> ${lines}; echo 0; }; f`
    await withServer(shop(), (url) => prove(url, [...args, '--observe', observe]))
    const [made, asked] = readFileSync(lines, 'utf8').split('\n')
    const [order, id] = made?.split(' ') ?? []
    expect(order).toMatch(/^order-\w{22}$/u)
    expect(id).toMatch(/^inv_\w{22}$/u)
    expect(asked).toBe(id)
  })

  test('a gate is told what to do', async () => {
    const lines = file('actions.txt', '')
    const args = ['--observe', module, '--gate', `echo >> ${lines}`]
    const run = await withServer(shop(), (url) =>
      prove(url, [...args, '--only', 'P3', '--only', 'work-fails-once']),
    )
    const told = readFileSync(lines, 'utf8')
    // The last two ask whether it answers before its work.
    expect(told).toBe('hold\nrelease\nfail-once\nhold\nrelease\n')
    // Which did nothing here.
    expect(run.stdout).toMatch(/^ {2}P3 .* not shown {2}the work was done while the gate held it/mu)
    expect(run.stdout).toMatch(
      /work fails once .* not shown {2}the first attempt was answered 2xx/u,
    )
    expect(run.status).toBe(3)
  })
})

describe('mistakes in the set-up: exit 2', () => {
  const URL_ = 'http://127.0.0.1:9/webhooks'
  const observe = ['--observe', 'echo 0']

  test.each([
    [observe, 'name the URL'],
    [['ftp://127.0.0.1/', ...observe], 'http or https'],
    [['http://user:word@127.0.0.1/', ...observe], 'without user name and password'],
    [['http://192.0.2.1/', ...observe], '--allow-host'],
    [['http://192.0.2.1/', '--allow-host', '192.0.2.2', ...observe], '--allow-host'],
    [['http://localhost.example/', ...observe], '--allow-host'],
    [[URL_], '--observe is missing'],
    [[URL_, ...observe, '--mode', 'virtual'], '--mode takes one of skip, real'],
    [[URL_, ...observe, '--quick', '--only', 'P1'], 'exclude each other'],
    [[URL_, ...observe, '--only', 'P9'], 'there are P1, P2'],
    [[URL_, ...observe, '--only', 'P1', '--without', 'P1'], '--without leaves nothing'],
    [[URL_, ...observe, '--json', nowhere().concat('/x')], 'the report cannot be written'],
    [[URL_, ...observe, '--without', 'p1'], 'there are P1, P2'],
    [[URL_, ...observe, '--replay', '7f3a'], '--replay takes a whole number'],
    [[URL_, ...observe, '--rate', '0'], '--rate takes a whole number'],
    [[URL_, ...observe, '--total', '-'], '--total takes a whole number'],
    [[URL_, ...observe, '--scheme', 'unheard'], '--scheme takes one of'],
    [[URL_, ...observe, '--secret-env', 'PATH', '--secret-env', 'PATH'], 'one secret'],
    [[URL_, ...observe, '--secret-env', 'NOT_SET'], 'no such variable'],
    [[URL_, '--observe', nowhere().concat('.mjs')], 'the module of --observe cannot be loaded'],
    [[URL_, '--observe', file('empty.mjs', 'export const x = 1')], 'must export a function'],
    [[URL_, '--observe', file('gate.mjs', 'export const observe = () => 0, settle = 1')], 'settle'],
    [[URL_, '--observe', 'echo many #'], 'printed no number: many'],
    [[URL_, '--observe', 'exit 3 #'], 'exited with code 3'],
    [
      [URL_, '--observe', file('throws.mjs', 'export default () => { throw Error("no table") }')],
      'no table',
    ],
    [[URL_, ...observe, '--start', 'echo no port is free >&2; exit 1'], 'no port is free'],
  ])('%j', async (args, message) => {
    const run = await command(['prove', ...args])
    expect(run).toMatchObject({ status: 2, stdout: '' })
    expect(run.stderr).toContain(message)
    expect(run.stderr).toMatch(/^hookproof: /u)
  })

  test('a start where something listens already', async () => {
    const run = await withServer(shop(), (url) =>
      prove(url, ['--observe', module, '--start', 'sleep 60']),
    )
    expect(run.status).toBe(2)
    expect(run.stderr).toContain('something listens at')
  })

  test.concurrent.each([
    ['observe', 'export const observe = () => new Promise(() => {})'],
    [
      'bookByHand',
      'export const observe = () => 0, settle = () => {}, bookByHand = () => new Promise(() => {})',
    ],
  ])('a function %s that never ends', { timeout: 60_000 }, async (name, code) => {
    const never = file(`never-${name}.mjs`, code)
    const run = await withServer(
      (_, response) => response.end(),
      (url) => prove(url, ['--only', name === 'observe' ? 'P1' : 'P4', '--observe', never]),
    )
    expect(run).toMatchObject({ status: 2, stdout: '' })
    expect(run.stderr).toBe(`hookproof: ${name} of the module took more than 30 s\n`)
  })

  test.each([
    [{}, 'echo 0', 'no server takes connections', 0],
    [{}, 'echo 3', 'nobody has heard of', 0],
    [
      { HOOKPROOF_SECRET: 'whsec_YW5vdGhlcl9zZWNyZXRfb2ZfdGhlX3NlbmRlcg==' },
      module,
      'another secret',
      1,
    ],
  ])('the first delivery finds it: %j %s', async (env, what, words, most) => {
    for (const ids of ['P1,P2', 'burst']) {
      let deliveries = 0
      const handle = shop()
      const run = await withServer(
        (request, response) => {
          if (request.method === 'POST') deliveries++
          return handle(request, response)
        },
        async (url) => {
          const target = words.startsWith('no server') ? 'http://127.0.0.1:9/' : url
          const args = ['--only', ids, '--observe', what]
          return prove(target, args, { env: { SHOP: new URL('/', url).origin, ...env } })
        },
      )
      expect(run.status).toBe(2)
      expect(run.stderr).toMatch(/^hookproof: the set-up: /u)
      expect(run.stderr).toContain(words)
      expect(run.stdout).toMatch(/^NOT READY: 1 failed/mu)
      expect(deliveries).toBe(most)
    }
  })
})

test('--without leaves out also what --quick and --only name', async () => {
  for (const [args, ids] of [
    [
      ['--quick', '--without', 'P3,P5'],
      ['P1', 'P2', 'P4'],
    ],
    [['--only', 'P1,P2', '--without', 'P2'], ['P1']],
  ] as const) {
    const all = ['--observe', module, ...args, '--json', '-']
    const run = await withServer(shop(), (url) => prove(url, all))
    const { results } = JSON.parse(run.stdout)
    expect(results.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(run.stdout).toMatch(/^\{.*\}\n$/u)
    expect(run.stderr).toMatch(/^All \d shown\.$/mu)
  }
})

test('what more requests than --total would show is not shown', async () => {
  const run = await withServer(shop(), (url) =>
    prove(url, ['--observe', module, '--quick', '--total', '20']),
  )
  expect(run).toMatchObject({ status: 3, stderr: '' })
  expect(run.stdout).toMatch(/^ {2}P1 {2}.* shown /mu)
  expect(run.stdout).toMatch(/^ {2}P5 {2}.* not shown {2}20 requests are sent; raise the total$/mu)
})

test('in real time nobody waits for an outage of hours', async () => {
  const args = ['--only', 'P4,outage-17-h', '--mode', 'real', '--observe', module]
  const run = await withServer(shop(), (url) => prove(url, args))
  expect(run.stdout).toMatch(/^ {2}P4 {2}.* shown .* the ladder was not waited out$/mu)
  expect(run.stdout).toMatch(/17 hours.* not shown {2}long waits/u)
  expect(run.status).toBe(3)
})

test('a redirect is not followed', async () => {
  let followed = 0
  const elsewhere = async () => {
    followed++
  }
  await withServer(elsewhere, (Location) =>
    withServer(
      async (request, response) => {
        await bodyOf(request)
        response.writeHead(307, { Location })
        response.end()
      },
      async (url) => {
        const run = await prove(url, ['--only', 'P1', '--observe', 'echo 0'])
        expect(run.status).toBe(1)
        expect(run.stdout).toContain('the route redirects')
      },
    ),
  )
  expect(followed).toBe(0)
})

test('an interrupted run leaves nothing behind', async () => {
  const pids = file('pids.txt', '')
  const receiver = file(
    'listens.mjs',
    `import { createServer } from 'node:http'
createServer((_, response) => response.writeHead(401).end()).listen(process.env.PORT, '127.0.0.1')`,
  )
  const url = await withServer(
    () => {},
    async (free) => free,
  )
  // The shell, and a child of its own that would outlive it.
  const start = `echo $$ >> ${pids}; sleep 300 & echo $! >> ${pids}; PORT=${new URL(url).port} "${process.execPath}" ${receiver}`
  const run = await prove(url, [
    ...['--only', 'P1', '--start', start],
    ...['--observe', 'kill -INT $PPID; sleep 1; echo 0 #'],
  ])
  expect(run.status).toBeNull()
  const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number)
  expect(started).toHaveLength(2)
  for (const pid of started) {
    await expect.poll(() => isAlive(pid)).toBe(false)
  }
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // Ended, and not yet waited for by who inherited it.
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('--help names each option, in lines that fit', async () => {
  for (const name of ['prove', 'send']) {
    const { stdout } = await command([name, '--help'])
    const { stderr } = await command([name, '--no-such-option'])
    const options = (stderr.match(/--[a-z][a-z-]*/gu) ?? []).slice(1)
    expect(options.length).toBeGreaterThan(10)
    for (const option of options) expect(stdout).toContain(option)
    expect(stdout.match(/Example:/gu)).toHaveLength(1)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  }
})
