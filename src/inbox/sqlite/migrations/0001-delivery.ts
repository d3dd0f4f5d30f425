import type { Migration } from '../../tables.ts'

export const migration: Migration = {
  version: 1,
  name: 'deliveries, effects and resources; times are milliseconds since 1970',
  sql: ({ delivery, effect, resource }) => `
create table if not exists ${delivery} (
  event_id      text primary key not null,
  event_type    text not null,
  resource_kind text,
  resource_id   text,
  occurred_at   integer,
  body          text,
  body_sha256   text,
  traceparent   text,
  received_at   integer not null,
  due_at        integer,
  claims        integer not null default 0,
  claim_limit   integer not null default 10,
  processed_at  integer,
  outcome       text,
  last_error    text
);
create index if not exists ${delivery}_due on ${delivery} (due_at) where due_at is not null;
create index if not exists ${delivery}_resource on ${delivery} (resource_id);
create index if not exists ${delivery}_dead on ${delivery} (processed_at) where outcome = 'dead';
create index if not exists ${delivery}_kept on ${delivery} (processed_at) where body is not null and processed_at is not null;
create index if not exists ${delivery}_settled on ${delivery} (processed_at) where processed_at is not null;
create table if not exists ${effect} (
  effect_key text primary key not null,
  event_id   text not null,
  at         integer not null
);
create table if not exists ${resource} (
  kind        text not null,
  id          text not null,
  status      text not null,
  is_final    integer not null,
  occurred_at integer not null,
  rank        integer not null,
  event_id    text not null,
  primary key (kind, id)
);`,
}
