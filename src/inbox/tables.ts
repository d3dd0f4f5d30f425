import { fail } from '../core/errors.ts'

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

/** Tables of one provider and environment: `prefix` tells them from another's. */
export function tablesOf(prefix = 'webhook_'): Tables {
  if (!/^(?:[a-z_][a-z0-9_]{0,40}\.)?[a-z_][a-z0-9_]{0,40}$/u.test(prefix)) {
    fail(
      'store_invalid',
      'prefix must be lower-case letters, digits and _, with one schema before a dot at most',
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
