import type { Migration, Tables } from '../tables.ts'
import type { Connection } from './connection.ts'
import { migration as delivery } from './migrations/0001-delivery.ts'

export const migrations: readonly Migration[] = [delivery]

/** One process at a time; the others wait and find nothing left to do. */
export function migrate(connection: Connection<object>, tables: Tables): Promise<void> {
  const { migration } = tables
  return connection.transaction(async (_, { query, script }) => {
    await query('select pg_advisory_xact_lock(hashtext($1))', [migration])
    // Some drivers print the notices of tables that are there.
    await script('set local client_min_messages = warning')
    await script(`create table if not exists ${migration} (
      version integer primary key, name text not null, at timestamptz not null default now())`)
    const done = await query(`select version from ${migration}`, [])
    for (const { version, name, sql } of migrations) {
      if (done.some((row) => Number(row.version) === version)) continue
      await script(sql(tables))
      await query(`insert into ${migration} (version, name) values ($1, $2)`, [version, name])
    }
  })
}
