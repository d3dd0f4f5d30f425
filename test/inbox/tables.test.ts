import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Finding, InboxStore } from '../../dist/inbox/index.js'
import { migrationSql, postgresStore } from '../../dist/inbox/postgres.js'
import { migrationSql as migrationSqlite, sqliteStore } from '../../dist/inbox/sqlite.js'
import { NOW } from '../fixtures.ts'
import type { Pool } from './drivers.d.ts'
import { hasPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'
import { createTables } from './programs/shop.js'
import { deliveryOf, hasDrivers } from './programs/start.ts'
import { receive, survivor } from './programs/survivor.ts'

// Tables that were there before, that people make by migrations of their own, or that lack something.

const require = createRequire(new URL('drivers/package.json', import.meta.url))
const NO_KEY = /has no unique key, so that the same delivery is recorded twice$/u
const errors = (findings: readonly Finding[]) => findings.filter(({ level }) => level === 'error')

describe.skipIf(!hasDrivers() || !hasPostgres())('PostgreSQL', () => {
  let server: PostgresServer
  const pools: Pool[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    for (const pool of pools) await pool.end()
    await server?.end()
  })

  function poolOf(at: string, options = ''): Pool {
    const { Pool } = require('pg')
    const pool = new Pool({ connectionString: at, options }) as Pool
    pools.push(pool)
    return pool
  }

  test("the article's table is adopted: what was not processed becomes due, and nothing else", async () => {
    const at = await server.createDatabase()
    const pool = poolOf(at)
    await pool.query(`create table webhook_delivery (
      event_id     text primary key,
      resource_id  text not null,
      event_type   text not null,
      body         jsonb not null,
      received_at  timestamptz not null default now(),
      processed_at timestamptz
    )`)
    const insert = (id: string, processed: string) =>
      pool.query(
        `insert into webhook_delivery (event_id, resource_id, event_type, body, processed_at)
         values ($1, $2, 'invoice.paid', $3, ${processed})`,
        [id, `inv_${id}`, deliveryOf(id, `inv_${id}`).body],
      )
    for (let number = 0; number < 50; number++) await insert(`evt_old_${number}`, 'now()')
    await insert('evt_new_1', 'null')
    await insert('evt_new_2', 'null')

    const { inbox, shop } = await survivor({ driver: 'pg', at }, { guarded: true })
    await createTables(shop)
    expect(await inbox.check()).toEqual([])
    expect(await inbox.stats()).toMatchObject({ due: 2, waiting: 0, dead: 0 })
    expect((await inbox.find({ id: 'evt_new_1' }))[0]).toMatchObject({
      ...{ type: 'invoice.paid', occurredAt: NOW, claims: 0 },
      resource: { kind: 'invoice', id: 'inv_evt_new_1' },
    })
    expect(await receive(inbox, 'evt_old_7')).toBe(200)
    expect(await receive(inbox, 'evt_new_2')).toBe(200)
    expect(await inbox.drain()).toBe(2)
    expect(await shop.bookings()).toEqual(['inv_evt_new_1', 'inv_evt_new_2'])
    // The same invoice by way of another endpoint is the same invoice.
    expect(await receive(inbox, deliveryOf('evt_other', 'inv_evt_new_1'))).toBe(202)
    expect(await inbox.drain()).toBe(1)
    expect(await shop.bookings()).toEqual(['inv_evt_new_1', 'inv_evt_new_2'])
    expect((await inbox.find({ id: 'evt_old_7' }))[0]).toMatchObject({
      ...{ outcome: 'done', claims: 0, dueAt: undefined },
      resource: { kind: 'invoice', id: 'inv_evt_old_7' },
    })
    await shop.end()
  })

  test('migrationSql() run by psql, twice, makes the tables that migrate() makes', async () => {
    const [ours, theirs] = [await server.createDatabase(), await server.createDatabase()]
    await postgresStore(poolOf(ours), { prefix: 'shop_' }).migrate()
    const text = migrationSql({ prefix: 'shop_' })
    for (let time = 0; time < 2; time++) {
      await server.run('psql', theirs, '-q', '-v', 'ON_ERROR_STOP=1', '-c', text)
    }
    const dump = async (at: string) => {
      const without = ['--exclude-table=shop_migration', '--schema-only', '--no-owner']
      const printed = await server.run('pg_dump', ...without, at)
      // What is random in it, or says who made it.
      return printed.replace(/^(?:--|\\).*\n/gmu, '')
    }
    expect(await dump(theirs)).toBe(await dump(ours))
    expect(await dump(theirs)).toContain('CREATE TABLE public.shop_delivery')
    const store = postgresStore(poolOf(theirs), { prefix: 'shop_' })
    expect(await store.check()).toEqual([])
    await store.migrate()
    expect(await dump(theirs)).toBe(await dump(ours))
  })

  test('check() tells of missing tables', async () => {
    const pool = poolOf(await server.createDatabase())
    const store = postgresStore(pool)
    const findings = await store.check()
    expect(errors(findings).map(({ what }) => what)).toEqual([
      'the table webhook_delivery is missing',
      'the table webhook_effect is missing',
      'the table webhook_resource is missing',
    ])
    for (const { fix } of findings) expect(fix).toContain('store.migrate()')
    await store.migrate()
    expect(await store.check()).toEqual([])
  })

  test('check() tells of a missing unique key, and its fix repairs it', async () => {
    const pool = poolOf(await server.createDatabase())
    const store = postgresStore(pool)
    await store.migrate()
    await pool.query('alter table webhook_delivery drop constraint webhook_delivery_pkey')
    await pool.query('alter table webhook_effect drop constraint webhook_effect_pkey')
    // Neither of these keeps an id from being stored twice.
    await pool.query('create index on webhook_delivery (event_id)')
    await pool.query('create unique index on webhook_delivery (event_id, event_type)')
    await pool.query("create unique index on webhook_effect (effect_key) where event_id = 'evt'")
    const findings = errors(await store.check())
    expect(findings.map(({ what }) => NO_KEY.test(what))).toEqual([true, true])
    for (const { fix } of findings) await pool.query(fix)
    expect(await store.check()).toEqual([])
  })

  test('check() tells of missing indexes and columns', async () => {
    const pool = poolOf(await server.createDatabase())
    const store = postgresStore(pool)
    await store.migrate()
    await pool.query('drop index webhook_delivery_due, webhook_delivery_settled')
    const missing = await store.check()
    expect(missing.map(({ level, what }) => `${level}: ${what}`)).toEqual([
      'warning: webhook_delivery has no index for claiming, which reads the whole table',
      'warning: webhook_delivery has no index for deleting old rows, which reads the whole table',
    ])
    await pool.query('alter table webhook_delivery drop column claim_limit')
    expect(errors(await store.check()).map(({ what }) => what)).toEqual([
      'webhook_delivery has no column claim_limit',
    ])
  })

  test.each([
    [
      'alter table webhook_delivery set unlogged',
      'webhook_delivery is unlogged: a crash of the server empties it',
    ],
    [
      `create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
       alter table webhook_delivery alter column event_id type text collate ci`,
      'webhook_delivery.event_id has a collation that takes two ids for one',
    ],
    [
      `create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
       alter table webhook_effect alter column effect_key type text collate ci`,
      'webhook_effect.effect_key has a collation that takes two ids for one',
    ],
    [
      'create domain code as char(40); alter table webhook_effect alter column effect_key type code',
      'webhook_effect.effect_key is code, not text: ids are refused, or two of them taken for one',
    ],
    [
      'alter table webhook_delivery add column tenant integer not null',
      'webhook_delivery.tenant must not be null and has no default, so that nothing is recorded',
    ],
    [
      `alter table webhook_delivery drop constraint webhook_delivery_pkey,
         add primary key (event_id) deferrable`,
      'the key of webhook_delivery.event_id is deferrable, so that nothing is recorded',
    ],
    [
      'alter table webhook_resource drop constraint webhook_resource_pkey',
      'webhook_resource.kind, id has no unique key, so that the same delivery is recorded twice',
    ],
    [
      'alter table webhook_delivery alter column resource_id type varchar(36)',
      'webhook_delivery.resource_id refuses ids longer than 36',
    ],
  ])('check() tells of `%s`, and its fix repairs it', async (change, what) => {
    const pool = poolOf(await server.createDatabase())
    const store = postgresStore(pool)
    await store.migrate()
    // What is there already does no harm.
    await pool.query(`alter table webhook_delivery add column seen timestamptz not null default now(),
      add column number bigint generated always as identity, alter column event_type type varchar(40)`)
    expect(await store.check()).toEqual([])
    await pool.query(change)
    const findings = await store.check()
    expect(findings.map((finding) => [finding.level, finding.what])).toEqual([['error', what]])
    for (const { fix } of findings) await pool.query(fix)
    expect(await store.check()).toEqual([])
  })

  test('check() tells of an encoding that has not all characters', async () => {
    const pool = poolOf(await server.createDatabase())
    await pool.query(`create database latin encoding 'LATIN1' locale 'C' template template0`)
    const latin = postgresStore(poolOf(server.url.replace(/\/postgres$/u, '/latin')))
    await latin.migrate()
    expect((await latin.check()).map(({ level, what }) => `${level}: ${what}`)).toEqual([
      'error: the encoding of the database is LATIN1: deliveries with other characters are refused',
    ])
  })

  test.each([
    ['synchronous_commit', 'off', /^synchronous_commit is off: .*acknowledged/u],
    ['default_transaction_isolation', 'serializable', /^default_transaction_isolation is serial/u],
  ])('check() tells of %s = %s', async (setting, value, what) => {
    const at = await server.createDatabase()
    await postgresStore(poolOf(at)).migrate()
    const findings = await postgresStore(poolOf(at, `-c ${setting}=${value}`)).check()
    expect(findings).toEqual([
      { level: 'warning', what: expect.stringMatching(what), fix: expect.any(String) },
    ])
  })

  test('two providers share a database by prefixes, and one of them by a schema', async () => {
    const pool = poolOf(await server.createDatabase())
    await pool.query('create schema hooks')
    const stores = ['paymos_', 'hooks.stripe_'].map((prefix) => postgresStore(pool, { prefix }))
    for (const store of stores) {
      await store.migrate()
      expect(await store.record(DELIVERY)).toEqual({ outcome: 'recorded' })
      expect(await store.check()).toEqual([])
    }
  })
})

const DELIVERY = {
  ...{ id: 'evt_1', type: 'invoice.paid', resource: undefined, occurredAt: undefined },
  ...{ body: '{}', bodySha256: 'aa', traceparent: undefined, claimLimit: 10 },
}

describe.skipIf(!hasDrivers())('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookproof-tables-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let files = 0
  const open = () => {
    const Database = require('better-sqlite3')
    return new Database(join(folder, `${files++}.db`))
  }
  const schema = (db: ReturnType<typeof open>) =>
    db
      .prepare("select name, sql from sqlite_master where name not like '%migration' order by name")
      .all()

  test('migrationSql() run twice makes the tables that migrate() makes', async () => {
    const [ours, theirs] = [open(), open()]
    await sqliteStore(() => ours).migrate()
    for (let time = 0; time < 2; time++) theirs.exec(migrationSqlite())
    expect(schema(theirs)).toEqual(schema(ours))
    const store = sqliteStore(() => theirs)
    expect(await store.check()).toEqual([])
    await store.migrate()
    expect(schema(theirs)).toEqual(schema(ours))
  })

  test('check() tells of missing tables, keys and indexes, and its fix repairs a key', async () => {
    const empty: InboxStore<unknown, 'sync'> = sqliteStore(open)
    expect(errors(await empty.check()).map(({ what }) => what)).toEqual([
      'the table webhook_delivery is missing',
      'the table webhook_effect is missing',
      'the table webhook_resource is missing',
    ])
    const db = open()
    db.exec(
      migrationSqlite()
        .replaceAll(' primary key not null', ' not null')
        .replace(/^create index if not exists webhook_delivery_due .*$/mu, ''),
    )
    const store = sqliteStore(() => db)
    const findings = await store.check()
    expect(errors(findings).map(({ what }) => NO_KEY.test(what))).toEqual([true, true])
    expect(findings.filter(({ level }) => level === 'warning')).toEqual([
      {
        level: 'warning',
        what: 'the index webhook_delivery_due is missing, so that whole tables are read',
        fix: expect.stringContaining('store.migrate()'),
      },
    ])
    for (const { fix } of errors(findings)) db.exec(fix)
    await store.migrate()
    expect(await store.check()).toEqual([])
    expect(await store.record(DELIVERY)).toEqual({ outcome: 'recorded' })
    expect(await store.record(DELIVERY)).toMatchObject({ outcome: 'duplicate' })
  })

  test.each([
    [
      'webhook_delivery has a collation',
      (text: string) => text.replace('event_id      text', 'event_id      text collate nocase'),
      'webhook_delivery.event_id has a collation that takes two ids for one',
    ],
    [
      'webhook_effect has numbers for keys',
      (text: string) => text.replace('effect_key text', 'effect_key numeric'),
      'webhook_effect.effect_key is no text: ids that are numbers are taken for one another',
    ],
    [
      'webhook_delivery needs a column more',
      (text: string) => text.replace('last_error    text', 'last_error text, tenant text not null'),
      'webhook_delivery.tenant must not be null and has no default, so that nothing is recorded',
    ],
  ])('check() tells of it: %s', async (_, change, what) => {
    const db = open()
    db.exec(change(migrationSqlite()))
    const findings = await sqliteStore(() => db).check()
    expect(findings.map((finding) => [finding.level, finding.what])).toEqual([['error', what]])
  })

  test('check() tells of a database in memory', async () => {
    const Database = require('better-sqlite3')
    const store = sqliteStore(() => new Database(':memory:'))
    await store.migrate()
    expect(await store.check()).toEqual([
      {
        level: 'warning',
        what: 'the database is in memory, and loses every delivery with the process',
        fix: 'open a file',
      },
    ])
  })

  test('a table of the same name that was there before is refused, and left as it was', async () => {
    const db = open()
    db.exec(`create table webhook_delivery (event_id text primary key, event_type text not null)`)
    const before = schema(db)
    const store = sqliteStore(() => db)
    const refused = { code: 'store_invalid', message: expect.stringContaining('webhook_delivery') }
    await expect(store.migrate()).rejects.toMatchObject(refused)
    expect(schema(db)).toEqual(before)
    const other = sqliteStore(() => db, { prefix: 'paymos_' })
    await other.migrate()
    expect(await other.check()).toEqual([])
  })
})

describe('options that are wrong', () => {
  const db = { exec() {}, close() {}, prepare: () => ({ all: () => [], run() {} }) }
  const pool = { query: async () => ({ rows: [] }), transaction: async () => undefined }
  test.each<[words: string, code: string, make: () => unknown]>([
    ['no option prefx', 'option_unknown', () => postgresStore(pool, { prefx: 'a_' } as object)],
    ['no option busy', 'option_unknown', () => sqliteStore(() => db, { busy: 5 } as object)],
    ['clock', 'store_invalid', () => postgresStore(pool, { clock: 5 as never })],
    ['clock', 'store_invalid', () => sqliteStore(() => db, { clock: 5 as never })],
    ['busyTimeoutMs', 'store_invalid', () => sqliteStore(() => db, { busyTimeoutMs: -1 })],
    ['busyTimeoutMs', 'store_invalid', () => sqliteStore(() => db, { busyTimeoutMs: Number.NaN })],
    ['prefix', 'store_invalid', () => sqliteStore(() => db, { prefix: 'main.a_' })],
    ['no promise', 'store_invalid', () => sqliteStore((async () => db) as never)],
    ['must return a database', 'store_invalid', () => sqliteStore((() => undefined) as never)],
  ])('%s: %s', (words, code, make) => {
    expect(make).toThrow(expect.objectContaining({ code, message: expect.stringContaining(words) }))
  })
})
