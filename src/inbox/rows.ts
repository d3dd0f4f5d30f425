import type { Claim, Outcome, StoredDelivery } from './store.ts'

/** A row of the table, with its times as milliseconds since 1970. */
export type Row = { readonly [column: string]: unknown }

export function claimOf(row: Row): Claim {
  return {
    ...common(row),
    bodySha256: (row.body_sha256 ?? '') as string,
    traceparent: text(row.traceparent),
    claimLimit: Number(row.claim_limit),
  }
}

export function storedOf(row: Row): StoredDelivery {
  return {
    ...common(row),
    dueAt: number(row.due_at),
    processedAt: number(row.processed_at),
    outcome: text(row.outcome) as Outcome | undefined,
    lastError: text(row.last_error),
  }
}

function common(row: Row) {
  const { resource_kind: kind, resource_id: id } = row
  return {
    id: row.event_id as string,
    type: row.event_type as string,
    resource: text(id) === undefined ? undefined : { kind: text(kind) ?? '', id: id as string },
    occurredAt: number(row.occurred_at),
    body: text(row.body),
    receivedAt: Number(row.received_at),
    claims: Number(row.claims),
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A driver may give null, or a bigint. */
function number(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}
