import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres } from '../inbox/postgres-server.ts'
import {
  hasFiles,
  library,
  NODE_22,
  type Program,
  pay,
  programFolder,
  programIn,
  withExample,
} from './programs.ts'
import { type ShopDatabase, startShopDatabase } from './shop-database.ts'

// docs/examples/postgres-queue.js, with the queues themselves.

/** Each, and the table that a job goes into. */
const QUEUES = [
  ['pg-boss', 'pgboss.job_common'],
  ['graphile-worker', 'graphile_worker._private_jobs'],
] as const

const isReady = hasFiles(NODE_22, library('pg-boss'), library('graphile-worker')) && hasPostgres()

describe.runIf(isReady).each(QUEUES)('docs/examples/postgres-queue.js with %s', (queue, jobs) => {
  const folder = programFolder()
  let database: ShopDatabase
  beforeAll(async () => {
    database = await startShopDatabase(folder.path)
  })
  afterAll(async () => {
    await database?.end()
    folder.remove()
  })
  const run = (use: (program: Program) => Promise<void>) =>
    withExample(
      {
        file: programIn(folder.path, 'postgres-queue.js'),
        args: [queue],
        node: NODE_22,
        env: { DATABASE_URL: database.url },
      },
      use,
    )

  test('books each payment once: sent twice, and through two endpoints', () =>
    run(async (receiver) => {
      expect(await pay(receiver, 'evt_1', 'inv_1')).toBe(202)
      expect(await pay(receiver, 'evt_1', 'inv_1')).toBe(200)
      await receiver.says(/^booked evt_1$/mu)
      expect(await pay(receiver, 'evt_2', 'inv_1')).toBe(202)
      await receiver.says(/^known evt_2$/mu)
      expect(await database.booked()).toEqual(['inv_1'])
    }))

  test('a delivery whose job cannot be enqueued is not recorded, and its retry is', () =>
    run(async (receiver) => {
      await receiver.says(/^listening/mu)
      const [, name] = jobs.split('.')
      await database.query(`alter table ${jobs} rename to away`)
      expect(await pay(receiver, 'evt_3', 'inv_3')).toBe(503)
      await database.query(`alter table ${jobs.replace(`${name}`, 'away')} rename to ${name}`)
      expect(await pay(receiver, 'evt_3', 'inv_3')).toBe(202)
      await receiver.says(/^booked evt_3$/mu)
    }))
})
