import { fail } from '../../core/errors.ts'
import type { Migration, Tables } from '../tables.ts'
import type { Connection, SqliteDatabase } from './connection.ts'
import { migration as delivery } from './migrations/0001-delivery.ts'

export const migrations: readonly Migration[] = [delivery]

/** One process at a time; the others wait and find nothing left to do. */
export function migrate(
  { db, query, run, transaction }: Connection<SqliteDatabase>,
  tables: Tables,
): Promise<void> {
  const { delivery, migration } = tables
  return transaction(() => {
    db.exec(`create table if not exists ${migration} (
      version integer primary key, name text not null, at integer not null)`)
    const done = query(`select version from ${migration}`)
    const columns = query('select name from pragma_table_info(?)', delivery)
    if (columns.length > 0 && !columns.some(({ name }) => name === 'due_at')) {
      fail(
        'store_invalid',
        `there is a table ${delivery} of your own: pass another prefix, or copy its rows and drop it`,
      )
    }
    for (const { version, name, sql } of migrations) {
      if (done.some((row) => Number(row.version) === version)) continue
      db.exec(sql(tables))
      run(`insert into ${migration} values (?, ?, ?)`, version, name, Date.now())
    }
  })
}
