import { fail } from '../core/errors.ts'
import { readNames } from '../core/options.ts'

/** The names of a store's tables. */
export interface Tables {
  readonly delivery: string
  readonly effect: string
  readonly resource: string
  readonly migration: string
}

/** One step of a schema, applied once; a published one never changes. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: (tables: Tables) => string
}

interface StoreOptions {
  readonly prefix?: string | undefined
  readonly clock?: (() => number) | undefined
}

/** The options of a store, none of them misspelt. */
export function readStoreOptions<Options extends StoreOptions>(
  options: Options,
  known: readonly string[],
): Options {
  readNames(options, known, 'store_invalid')
  if (options.clock === undefined || typeof options.clock === 'function') return options
  return fail('store_invalid', 'clock must be a function that gives milliseconds since 1970')
}

/** Tables of one provider and environment: `prefix` tells them from another's. */
export function tablesOf(prefix = 'webhook_'): Tables {
  if (!/^(?:[a-z_][a-z0-9_]{0,40}\.)?[a-z_][a-z0-9_]{0,40}$/u.test(prefix)) {
    fail(
      'store_invalid',
      'prefix must be lower-case letters, digits and _, no digit first and 41 at most, on PostgreSQL with a schema and a dot before it, if you like',
    )
  }
  return {
    delivery: `${prefix}delivery`,
    effect: `${prefix}effect`,
    resource: `${prefix}resource`,
    migration: `${prefix}migration`,
  }
}

/** The whole schema as text, for people who run migrations of their own. */
export function migrationText(migrations: readonly Migration[], tables: Tables): string {
  return migrations
    .map(({ version, name, sql }) => `-- ${version}: ${name}\n${sql(tables).trim()}\n`)
    .join('\n')
}
