import type { Migration } from '../../tables.ts'

export const migration: Migration = {
  version: 1,
  name: 'deliveries, effects and resources; a table with the columns of the first statement is adopted',
  sql: ({ delivery, effect, resource }) => {
    const index = delivery.replace(/^.*\./u, '')
    return `
create table if not exists ${delivery} (
  event_id     text primary key,
  resource_id  text,
  event_type   text not null,
  body         text,
  received_at  timestamptz not null default statement_timestamp(),
  processed_at timestamptz
);
alter table ${delivery}
  alter column resource_id drop not null,
  alter column body drop not null,
  alter column body type text using body::text,
  add column if not exists resource_kind text,
  add column if not exists occurred_at   bigint,
  add column if not exists body_sha256   text,
  add column if not exists traceparent   text,
  add column if not exists due_at        timestamptz,
  add column if not exists claims        integer not null default 0,
  add column if not exists claim_limit   integer not null default 10,
  add column if not exists outcome       text,
  add column if not exists last_error    text;
-- Of a table that was there before: what was processed stays so, and only the rest becomes due.
update ${delivery} set resource_kind = case
    when event_type like 'invoice.%' then 'invoice'
    when event_type like 'withdrawal.%' then 'withdrawal'
    when event_type like 'payment_channel.deposit.%' then 'payment_channel_deposit'
  end
  where resource_id is not null and resource_kind is null;
update ${delivery} set outcome = 'done' where processed_at is not null and outcome is null;
update ${delivery} set due_at = statement_timestamp(), occurred_at = (body::json->>'occurred_at')::bigint
  where processed_at is null and due_at is null;
create index if not exists ${index}_due on ${delivery} (due_at) where due_at is not null;
create index if not exists ${index}_resource on ${delivery} (resource_id);
create index if not exists ${index}_dead on ${delivery} (processed_at) where outcome = 'dead';
create index if not exists ${index}_kept on ${delivery} (processed_at) where body is not null and processed_at is not null;
create index if not exists ${index}_settled on ${delivery} (processed_at) where processed_at is not null;
create table if not exists ${effect} (
  effect_key text primary key,
  event_id   text not null,
  at         timestamptz not null default statement_timestamp()
);
create table if not exists ${resource} (
  kind        text not null,
  id          text not null,
  status      text not null,
  is_final    boolean not null,
  occurred_at bigint not null,
  rank        integer not null,
  event_id    text not null,
  primary key (kind, id)
);`
  },
}
