import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type Claim,
  createInbox,
  type Inbox,
  type InboxStore,
  memoryStore,
} from '../../dist/inbox/index.js'
import { postgresStore } from '../../dist/inbox/postgres.js'
import { createSigner } from '../../dist/index.js'
import { stripe } from '../../dist/schemes/index.js'
import { hasFiles, library, NODE_22 } from '../examples/programs.ts'
import { SECRET } from '../frameworks/expect-page.ts'
import { accepted, acceptedText } from '../inbox/bench.ts'
import { hasPostgres, type PostgresServer, startPostgres } from '../inbox/postgres-server.ts'
import { has } from '../requirements.ts'
import { freePort } from '../runtimes/host/free-port.js'
import { startProgram } from '../runtimes/host/processes.js'
import { type Block, blocksOf, ROOT } from './blocks.ts'
import { folder, load } from './load.ts'

// Each block of the pages about the inbox, on a real database: its programs in processes of their own,
// in the order of the page.

const PAGES = ['README.md', 'docs/inbox.md', 'docs/runbook.md']
const blocks = PAGES.flatMap(blocksOf).filter(({ needsDatabase }) => needsDatabase)

/** The one block in which this stands. */
function block(page: string, words: string): Block {
  const found = blocks.filter((one) => one.page === page && one.code.includes(words))
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${page} with ${words}`)
  const [one] = found as [Block]
  taken.add(one)
  return one
}
const taken = new Set<Block>()
const ofInbox = (words: string) => block('docs/inbox.md', words)
const ofRunbook = (words: string) => block('docs/runbook.md', words)

const isReady = hasFiles(NODE_22, library('pg'), library('@types/pg')) && hasPostgres()

interface Pool {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
  connect(): Promise<Pool & { release(): void }>
  end(): Promise<void>
}

describe.runIf(isReady)('the pages about the inbox', () => {
  let server: PostgresServer
  let pool: Pool
  /** On the same tables as that of the page. */
  let inbox: Inbox
  let isFailing = false
  const poolOf = (url: string): Pool => {
    const { Pool } = createRequire(`${folder}/`)('pg')
    return new Pool({ connectionString: url })
  }
  const query = async (text: string) => (await pool.query(text)).rows

  beforeAll(async () => {
    symlinkSync(library(''), `${folder}/node_modules`)
    write('inbox', ofInbox('const store = postgresStore(pool)'))
    server = await startPostgres()
    pool = poolOf(server.url)
    const store = postgresStore(pool)
    await store.migrate()
    await pool.query('create table shipment (invoice text not null)')
    const apply = async () => {
      if (isFailing) throw new Error('out of stock')
    }
    inbox = createInbox({ store, handlers: { 'invoice.paid': { apply } }, maxClaims: 1 })
  })
  afterAll(async () => {
    await pool?.end()
    await server?.end()
  })

  /** Writes the program of a block where it finds its libraries, and the page's inbox. */
  function write(name: string, { code }: Block): string {
    const { outputText } = ts.transpileModule(code, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    })
    writeFileSync(`${folder}/${name}.js`, outputText)
    return `${folder}/${name}.js`
  }
  const environment = (more: object) => ({
    ...process.env,
    ...{ DATABASE_URL: server.url, WEBHOOK_SECRET: SECRET, PORT: '0', NODE_NO_WARNINGS: '1' },
    ...more,
  })
  const RUN = `${ROOT}test/docs/run-block.js`
  /** What a program exports, and what it prints beside. */
  const run = async (one: Block, more: { env?: object; node?: string; drive?: true } = {}) => {
    const file = write(`block-${one.line}`, one)
    const { stdout, stderr } = await promisify(execFile)(
      more.node ?? process.execPath,
      [RUN, file, ...(more.drive ? ['drive'] : [])],
      { env: environment(more.env ?? {}), timeout: 30_000 },
    )
    const lines = stdout.trim().split('\n')
    return { told: JSON.parse(lines.at(-1) ?? ''), printed: stdout, errors: stderr }
  }
  const serve = (one: Block) =>
    startProgram(process.execPath, [RUN, write(`block-${one.line}`, one)], {
      env: environment({ WEBHOOK_SECRET_OLD: 'test_only_old' }),
    })
  const post = async (url: string, id: string, invoice: string, secret = SECRET) => {
    const body = JSON.stringify({
      ...{ event_id: id, event_type: 'invoice.paid', version: 1, occurred_at: 1 },
      data: { invoice_id: invoice },
    })
    const headers = { ...(await createSigner({ secret }).sign({ body })) }
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
  const shipped = async (invoice: string) =>
    (await query(`select * from shipment where invoice = '${invoice}'`)).length
  const record = async (id: string, invoice: string) =>
    inbox.receive(await accepted({ id, data: { invoice_id: invoice } }))

  /** A database of its own. */
  const withDatabase = async (name: string, use: (pool: Pool, url: string) => Promise<void>) => {
    await pool.query(`create database ${name}`)
    const url = server.url.replace(/\/postgres$/u, `/${name}`)
    const own = poolOf(url)
    await use(own, url)
    await own.end()
  }

  test('every TypeScript block compiles, with the types of the drivers', () => {
    const sources = blocks.filter(({ language }) => language === 'ts')
    const files = sources.map((one, index) => {
      const name = one.code.includes('const store = postgresStore(pool)') ? 'inbox' : `ts-${index}`
      writeFileSync(`${folder}/${name}.ts`, one.code)
      return `${folder}/${name}.ts`
    })
    const program = ts.createProgram(files, {
      ...{ strict: true, noEmit: true, skipLibCheck: true, exactOptionalPropertyTypes: true },
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: ['node'],
      // The newer of two: node:sqlite is in it.
      typeRoots: [library('@types')],
      preserveSymlinks: true,
    })
    const faults = ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ messageText, file }) =>
          `${file?.text}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      )
    expect(files.length).toBeGreaterThan(15)
    expect(faults).toEqual([])
  })

  describe('docs/inbox.md', () => {
    test('the whole receiver: sent three times, and through two endpoints, shipped once; SIGTERM ends it', async () => {
      const { url, end } = await serve(ofInbox("process.once('SIGTERM'"))
      expect(await post(url, 'evt_1', 'inv_1')).toBe(202)
      expect(await post(url, 'evt_1', 'inv_1')).toBe(200)
      expect(await post(url, 'evt_1', 'inv_1')).toBe(200)
      expect(await post(url, 'evt_2', 'inv_1')).toBe(202)
      expect(await post(url, 'evt_3', 'inv_3', 'test_only_forged')).toBe(401)
      await expect.poll(async () => (await inbox.find({ outcome: 'done' })).length).toBe(2)
      expect(await shipped('inv_1')).toBe(1)
      await end()
    })

    test('a receiver that answers by itself', () =>
      withDatabase('answering', async (_, DATABASE_URL) => {
        const { told } = await run(ofInbox('createVerifier'), { env: { DATABASE_URL } })
        expect(told).toEqual([202, 200, 202])
      }))

    test('prepare and apply', async () => {
      const one = ofInbox('LABELS_URL')
      const keys: unknown[] = []
      const labels = await listen((request, response) => {
        keys.push(request.headers['idempotency-key'])
        response.end('label 7')
      })
      vi.stubEnv('LABELS_URL', labels.url)
      const log = vi.spyOn(console, 'log').mockImplementation(() => {})
      const { inbox } = (await load('labels', one)) as { inbox: Inbox }
      const data = { invoice_id: 'inv_1', order: { external_id: 'order_1' } }
      await inbox.receive(await accepted({ data }))
      await inbox.receive(await accepted({ id: 'evt_2', data }))
      const late = { id: 'evt_3', type: 'invoice.confirming', data }
      expect(await inbox.drain()).toBe(2)
      await inbox.receive(await accepted(late))
      expect(await inbox.drain()).toBe(1)
      expect(keys).toEqual(['label:invoice:inv_1', 'label:invoice:inv_1'])
      expect(log.mock.calls).toEqual([['ship inv_1 with label 7']])
      log.mockRestore()
      labels.close()
    })

    test('another provider', async () => {
      const log = vi.spyOn(console, 'log').mockImplementation(() => {})
      const { charges } = (await load('stripe', ofInbox('scheme: stripe'))) as { charges: Inbox }
      for (const [id, type] of [
        ['evt_1', 'charge.succeeded'],
        ['evt_2', 'charge.pending'],
        ['evt_3', 'charge.succeeded'],
      ]) {
        const data = { object: { object: 'charge', id: 'ch_1' } }
        const body = JSON.stringify({ id, type, created: 1_700_000_000, data })
        await charges.receive(await acceptedText(body, { scheme: stripe }))
        await charges.drain()
      }
      expect(await charges.find({ outcome: 'done' })).toHaveLength(3)
      expect(log.mock.calls).toEqual([['booked by evt_1']])
      log.mockRestore()
    })

    test('cron', async () => {
      await record('evt_cron', 'inv_cron')
      const { told } = await run(ofInbox('maxMs: 50_000'))
      expect(told).toEqual({ count: 1, findings: [] })
      expect(await shipped('inv_cron')).toBe(1)
    })

    test('SQLite', async () => {
      const file = `${folder}/shop.db`
      const make = `import('node:sqlite').then(({ DatabaseSync }) =>
        new DatabaseSync('${file}').exec('create table shipment (invoice text)'))`
      const env = { SHOP_DB: file, NODE_NO_WARNINGS: '1' }
      await promisify(execFile)(NODE_22, ['--eval', make], { env })
      const { told } = await run(ofInbox('node:sqlite'), { env, node: NODE_22, drive: true })
      expect(told).toEqual({ statuses: [202, 200, 202], drained: 2 })
      const count = `import('node:sqlite').then(({ DatabaseSync }) =>
        console.log(new DatabaseSync('${file}').prepare('select * from shipment').all().length))`
      const { stdout } = await promisify(execFile)(NODE_22, ['--eval', count], { env })
      expect(stdout).toBe('1\n')
    })

    test('an ORM', async () => {
      const { told } = await run(ofInbox('type Transaction'), { drive: true })
      expect(told).toEqual({ statuses: [202, 200, 202], drained: 2 })
      expect(await shipped('inv_driven')).toBe(1)
    })

    test('an ORM, and a server that breaks its connections, idle and at work', () =>
      withDatabase('orm', async (own, url) => {
        vi.stubEnv('DATABASE_URL', url)
        const { store, pool: ofPage } = (await load('orm', ofInbox('type Transaction'))) as {
          store: InboxStore<Pool, 'async'>
          pool: Pool
        }
        const breakAll = () =>
          own.query(`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = 'orm' and pid <> pg_backend_pid()`)
        await store.migrate()
        await store.record({
          ...{ id: 'evt_1', type: 'a', resource: undefined, occurredAt: undefined, body: '{}' },
          ...{ bodySha256: 'aa', traceparent: undefined, claimLimit: 10 },
        })
        await breakAll()
        await expect.poll(() => store.stats().catch(() => undefined)).toMatchObject({ due: 1 })
        const [claim] = (await store.claim({ limit: 1, leaseMs: 60_000 })) as [Claim]
        const broken = store.settle(claim, async (tx) => {
          await breakAll()
          await tx.query('select 1')
          return 'done' as const
        })
        await expect(broken).rejects.toThrow()
        expect(await store.settle(claim, () => 'done')).toBe('settled')
        await ofPage.end()
      }))

    test('final states out of order: what was paid is booked, and releases nothing', async () => {
      const log = vi.spyOn(console, 'log').mockImplementation(() => {})
      const { orders } = (await load('orders', ofInbox("once('release')"))) as { orders: Inbox }
      const events = [
        ['evt_1', 'invoice.paid', 'inv_1'],
        ['evt_2', 'invoice.expired', 'inv_1'],
        ['evt_3', 'invoice.expired', 'inv_2'],
        ['evt_4', 'invoice.paid', 'inv_2'],
        ['evt_5', 'invoice.paid', 'inv_2'],
      ] as const
      for (const [id, type, invoice_id] of events) {
        await orders.receive(await accepted({ id, type, data: { invoice_id } }))
        await orders.drain()
      }
      expect(log.mock.calls.flat()).toEqual(['ship inv_1', 'release inv_2', 'ship inv_2'])
      const stale = await orders.find({ outcome: 'stale' })
      expect(stale.map(({ id }) => id).sort()).toEqual(['evt_2', 'evt_5'])
      log.mockRestore()
    })

    test('migrations of your own', () =>
      withDatabase('migrated', async (own) => {
        const { code } = ofInbox('migrationSql')
        await promisify(execFile)('bash', ['-euc', code], { cwd: folder })
        await own.query(readFileSync(`${folder}/webhooks.sql`, 'utf8'))
        expect(await postgresStore(own).check()).toEqual([])
      }))

    test('a table that is there is adopted: what was processed stays so', () =>
      withDatabase('adopted', async (own) => {
        await own.query(ofInbox('jsonb not null').code)
        await own.query(`insert into webhook_delivery values
          ('evt_old', 'inv_old', 'invoice.paid', '{}', now(), now()),
          ('evt_open', 'inv_open', 'invoice.paid', '{}', now(), null)`)
        const store = postgresStore(own)
        await store.migrate()
        expect(await store.check()).toEqual([])
        expect(await store.find({ outcome: 'done' })).toMatchObject([{ id: 'evt_old' }])
        expect(await store.claim({ limit: 9, leaseMs: 1 })).toMatchObject([
          { id: 'evt_open', resource: { kind: 'invoice', id: 'inv_open' } },
        ])
      }))

    test('permissions: enough for all that an inbox does, and for no more', () =>
      withDatabase('permitted', async (own, url) => {
        await postgresStore(own).migrate()
        await own.query('create table shipment (invoice text)')
        await own.query(ofInbox('create role').code)
        await own.query('grant insert on shipment to shop_webhooks')
        const limited = poolOf(url.replace('postgres@', 'shop_webhooks@'))
        const store = postgresStore(limited)
        let isDown = true
        const used = createInbox({
          store,
          maxClaims: 1,
          handlers: {
            'invoice.paid': {
              async apply(tx, { data }, { once, advance }) {
                if (isDown) throw new Error('down')
                await advance()
                if (await once('fulfil')) {
                  await tx.query('insert into shipment values ($1)', [data.invoice_id])
                }
              },
            },
          },
        })
        await used.receive(await accepted())
        await used.drain()
        isDown = false
        expect(await used.redrive()).toBe(1)
        await used.receive(await accepted({ id: 'evt_2' }))
        expect(await used.drain()).toBe(2)
        expect(await used.purge({ resourceIds: ['inv_1'] })).toEqual({ redacted: 2, deleted: 0 })
        await used.purge()
        expect(await used.check()).toEqual([])
        const resources = [{ kind: 'invoice', id: 'inv_1' }]
        expect((await used.reconcile({ resources, once: 'fulfil' })).found).toEqual([])
        expect((await own.query('select * from shipment')).rows).toHaveLength(1)
        await expect(limited.query('drop table webhook_effect')).rejects.toThrow(/owner/u)
        await limited.end()
      }))

    test('a store of your own', async () => {
      const { passed } = await load('conformance', ofInbox('storeConformance'))
      expect((passed as string[]).length).toBeGreaterThan(10)
    })

    test('less to erase', async () => {
      const { inbox } = (await load('redact', ofInbox('redact:'))) as { inbox: Inbox }
      const order = { external_id: 'order_1', client_id: 'jane.doe@example.com' }
      await inbox.receive(await accepted({ data: { invoice_id: 'inv_1', order } }))
      const [row] = await inbox.find({})
      expect(JSON.parse(row?.body ?? '').data).toEqual({
        invoice_id: 'inv_1',
        order: { external_id: 'order_1' },
      })
    })

    test('reconcile', async () => {
      const items = ['inv_1', 'inv_never'].map((invoice_id) => ({ invoice_id }))
      const api = await listen((_, response) => response.end(JSON.stringify({ items })))
      const { told, errors } = await run(ofInbox('paidInvoices'), { env: { API_URL: api.url } })
      expect(told.report.checked).toBe(2)
      expect(errors).toBe('missing: inv_never, 0 deliveries\n')
      api.close()
    })
  })

  describe('docs/runbook.md', () => {
    test('outage', async () => {
      const [row] = await query(ofRunbook('lead(received_at)').code)
      expect(Object.keys(row ?? {})).toEqual(['up_to', 'from', 'gap'])
    })

    test('dead deliveries', async () => {
      isFailing = true
      for (const id of ['evt_dead_1', 'evt_dead_2', 'evt_dead_3']) await record(id, `inv_${id}`)
      await inbox.drain()
      isFailing = false
      const { told, errors } = await run(ofRunbook('export const dead'))
      expect(told.dead).toHaveLength(3)
      expect(errors).toContain(
        'evt_dead_2 invoice.paid inv_evt_dead_2 1 attempts Error: out of stock',
      )
      expect(await query(ofRunbook('left(last_error, 80)').code)).toMatchObject([
        { event_type: 'invoice.paid', error: 'Error: out of stock', count: '3' },
      ])
      expect((await run(ofRunbook('export const redriven'))).told).toEqual({ redriven: 2 })
      await inbox.drain()
      expect(await inbox.find({ outcome: 'dead' })).toEqual([])
    })

    test('what was ignored', async () => {
      const ignoredId = 'evt_ignored'
      const data = { invoice_id: 'inv_ignored' }
      await inbox.receive(await accepted({ id: ignoredId, type: 'invoice.paid_over', data }))
      await inbox.drain()
      expect(await inbox.find({ outcome: 'ignored' })).toMatchObject([{ id: ignoredId }])
      expect((await run(ofRunbook("outcome: 'ignored', limit"))).told).toEqual({ count: 1 })
      await inbox.drain()
      expect(await inbox.find({ id: ignoredId })).toMatchObject([{ claims: 2 }])
    })

    test('what is known of a payment', async () => {
      const { told, printed } = await run(ofRunbook('process.env.INVOICE '), {
        env: { INVOICE: 'inv_1' },
      })
      expect(told.rows).toHaveLength(2)
      expect(printed).toMatch(/Z evt_1 invoice\.paid done undefined$/mu)
    })

    test('booked by hand, no delivery books it again; booked again on purpose, one does', async () => {
      const cron = ofInbox('maxMs: 50_000')
      const renamed = (code: string) => code.replaceAll('inv_1', 'inv_hand')
      await pool.query(renamed(ofRunbook("'by hand'").code))
      await record('evt_hand', 'inv_hand')
      await run(cron)
      expect(await shipped('inv_hand')).toBe(1)
      await expect(pool.query(renamed(ofRunbook("'by hand'").code))).rejects.toThrow(/unique/u)
      await pool.query('rollback')
      await pool.query(renamed(ofRunbook('delete from webhook_effect').code))
      expect(await shipped('inv_hand')).toBe(0)
      await run(cron)
      expect(await shipped('inv_hand')).toBe(1)
    })

    test('rotation', async () => {
      const { url, errors, end } = await serve(ofRunbook("id: '2026-11'"))
      expect(await post(url, 'evt_new', 'inv_new')).toBe(202)
      expect(errors()).toBe('')
      expect(await post(url, 'evt_old', 'inv_old', 'test_only_old')).toBe(202)
      expect(await post(url, 'evt_forged', 'inv_forged', 'test_only_forged')).toBe(401)
      await expect
        .poll(errors)
        .toBe('the old secret is still in use\nwebhook refused: signature_mismatch\n')
      await end()
    })

    test('erasure', async () => {
      await inbox.drain()
      const { told } = await run(ofRunbook('process.env.INVOICES'), {
        env: { INVOICES: 'inv_1,inv_new' },
      })
      expect(told).toEqual({ redacted: 3 })
      const [row] = await query(ofRunbook('pg_size_pretty').code)
      expect(Number(row?.rows) - Number(row?.bodies)).toBe(3)
    })

    test('load', async () => {
      const [second] = await query(ofRunbook("date_trunc('second'").code)
      expect(Number(second?.deliveries)).toBeGreaterThan(0)
      await record('evt_due', 'inv_due')
      const [backlog] = await query(ofRunbook('as waiting').code)
      expect(backlog).toMatchObject({ due: '1', waiting: '0' })
    })

    test.runIf(has('nginx', '-v'))('behind nginx', async () => {
      const node = await serve(ofRunbook('server.keepAliveTimeout'))
      const port = await freePort()
      const conf = `${folder}/nginx.conf`
      const site = ofRunbook('proxy_pass')
        .code.replace('listen 8080', `listen 127.0.0.1:${port}`)
        .replace('127.0.0.1:3000', new URL(node.url).host)
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${folder}/${name};`)
        .join('\n')
      const says = `listening on http://127.0.0.1:${port}`
      writeFileSync(
        conf,
        `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}
        http { access_log off; ${paths}\n${site}\n}`,
      )
      await promisify(execFile)('nginx', ['-t', '-c', conf])
      const start = `echo "${says}"; exec nginx -c "${conf}"`
      const proxy = await startProgram('bash', ['-euc', start], {})
      const send = (id: string) => post(`${proxy.url}/webhook`, id, 'inv_proxy').catch(() => 0)
      await expect.poll(() => send('evt_proxy'), { timeout: 10_000 }).toBeGreaterThan(0)
      expect(await send('evt_proxy_2')).toBe(202)
      expect((await fetch(`${proxy.url}/other`)).status).toBe(404)
      await proxy.end()
      await node.end()
    })
  })

  test('README.md: the stores', async () => {
    await withDatabase('readme', async (own, DATABASE_URL) => {
      await own.query('create table shipment (invoice text)')
      const postgres = block('README.md', 'postgresStore')
      const { told } = await run(postgres, { drive: true, env: { DATABASE_URL } })
      expect(told).toEqual({ statuses: [202, 200, 202], drained: 2 })
    })
    const sqlite = block('README.md', 'sqliteStore')
    const code = sqlite.code.replace('shop.db', `${folder}/readme.db`)
    expect((await run({ ...sqlite, code }, { node: NODE_22 })).told).toEqual({})
  })

  test('no block is left out', () => {
    const left = blocks.filter((one) => !taken.has(one) && one.language !== 'text')
    expect(left.map(({ page, line }) => `${page}:${line}`)).toEqual([])
  })
})

describe('what the pages say', () => {
  const text = (page: string) => readFileSync(`${ROOT}${page}`, 'utf8')
  const rows = (page: string, heading: string) =>
    (text(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(1)
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )

  test('each guarantee is shown by a test of that name', () => {
    const tests = ['guarantees', 'worker']
      .map((name) => text(`test/inbox/${name}.test.ts`))
      .join('\n')
    const named = rows('docs/inbox.md', 'What is promised').map((row) => row.at(-1))
    expect(named.length).toBeGreaterThan(12)
    for (const name of named) expect(tests).toContain(`'${name?.replaceAll('`', '')}'`)
  })

  test('each option is one', () => {
    const options = rows('docs/inbox.md', 'Options').map(
      ([name = '']) => /`(\w+)/u.exec(name)?.[1] ?? name,
    )
    const wrong = { store: memoryStore(), handlers: {}, stores: 1 }
    expect(() => createInbox(wrong)).toThrow(`there are ${options.join(', ')}`)
  })

  test('a handler that always fails is tried for as long as they say', async () => {
    const waits = Array.from({ length: 9 }, (_, n) => Math.min(1_800, 10 * 2 ** n))
    const most = waits.reduce((sum, wait) => sum + wait, 0)
    const said = `for ${Math.round(most / 120)} minutes on average, ${Math.round(most / 60)} at most`
    expect(text('docs/inbox.md')).toContain(said)
  })

  test('the attempts add up', () => {
    const minutes = (cell = '') => {
      const [, hours = 0, rest = 0] = /^(?:(\d+) h)? ?(?:(\d+) min)?/u.exec(cell) ?? []
      return Number(hours) * 60 + Number(rest)
    }
    let sum = 0
    const ladder = rows('docs/runbook.md', 'Outage').slice(0, 11)
    expect(ladder.map(([attempt]) => Number(attempt))).toEqual([...Array(12).keys()].slice(1))
    for (const [, gap, at] of ladder) {
      sum += minutes(gap)
      expect(minutes(at)).toBe(sum)
    }
    // 11 attempts in 16 hours and 3 minutes, as the provider says.
    expect(sum).toBe(16 * 60 + 3)
  })

  test('every link within a page, and into another, has its heading', () => {
    const headings = (page: string) =>
      [...text(page).matchAll(/^#+ (.+)$/gmu)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w\s-]/gu, '')
          .replaceAll(' ', '-'),
      )
    for (const page of ['docs/inbox.md', 'docs/runbook.md', 'README.md']) {
      for (const [, path, anchor] of text(page).matchAll(/\]\(([\w./-]*\.md)?#([\w-]+)\)/gu)) {
        const target = path ? new URL(path, `file:///${page}`).pathname.slice(1) : page
        expect(headings(target), `${page}: ${path ?? ''}#${anchor}`).toContain(anchor)
      }
    }
  })
})

async function listen(answer: RequestListener): Promise<{ url: string; close: () => void }> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}
