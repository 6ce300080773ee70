-- Where merchants want their webhooks, the events that were taken over from their owners, and what became of each.
-- Runs as webhooks_owner; the service runs as webhooks_app, which may not alter anything and may not rewrite an event.

-- One for each merchant. Secrets are AES-256-GCM under a key that is not in this database.
create table endpoint (
  merchant_id        uuid primary key,
  url                text not null check (char_length(url) between 1 and 2048),
  enabled            boolean not null default true,
  max_in_flight      smallint not null default 8 check (max_in_flight between 1 and 64),

  secret             bytea not null,                     -- signs x-request-signature
  secret_version     integer not null default 1 check (secret_version >= 1),

  -- A new secret, until the merchant has activated it or its time has come: it signs x-request-signature-next.
  next_secret        bytea,
  next_version       integer,
  activates_at       timestamptz,
  constraint endpoint_rotation_whole check (num_nulls(next_secret, next_version, activates_at) in (0, 3)),

  -- The request that drew the latest secret: a copy of it on the bus is answered with the same secret.
  secret_request_id  text not null,

  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now()
);

create index endpoint_disabled on endpoint (merchant_id) where not enabled;

-- Partitioned by the day the event itself happened, so that a copy that comes days later meets the same primary key.
create table event (
  occurred_at  timestamptz not null,                     -- the time within event_id
  event_id     uuid not null,                            -- x-event-id, UUIDv7
  source       text not null,                            -- the service that owns it
  event_type   text not null,
  merchant_id  uuid not null,
  payment_id   uuid not null,
  status       text not null,
  body         bytea not null,                           -- the webhook's exact bytes; never jsonb, which reorders keys
  traceparent  text,
  accepted_at  timestamptz not null default now(),
  primary key (occurred_at, event_id)
) partition by range (occurred_at);

create index event_merchant on event (merchant_id, occurred_at desc, event_id desc);
create index event_payment on event (payment_id);

-- What became of an event; none while it is pending. `failed` can still become `delivered`, by a resend.
create table outcome (
  occurred_at  timestamptz not null,
  event_id     uuid not null,
  outcome      text not null check (outcome in ('delivered', 'failed', 'skipped', 'cancelled')),
  resolved_at  timestamptz not null default now(),
  primary key (occurred_at, event_id)
) partition by range (occurred_at);

create index outcome_not_delivered on outcome (outcome, occurred_at desc, event_id desc) where outcome <> 'delivered';

-- Each request that was made, kept for a shorter time.
create table attempt (
  attempt_id      uuid not null,
  sent_at         timestamptz not null,
  event_id        uuid not null,
  trigger         text not null check (trigger in ('schedule', 'manual')),
  number          smallint,                              -- of the schedule; null for a resend by hand
  planned_at      timestamptz not null,
  request_time    bigint not null,                       -- the x-request-time that was signed
  succeeded       boolean not null,
  status_code     smallint,
  error           text,
  duration_ms     integer not null,
  remote_address  text,
  snippet         text check (char_length(snippet) <= 1024),
  body_hash       bytea not null,                        -- SHA-256 of the bytes that were sent
  secret_version  integer not null,
  next_version    integer,
  primary key (sent_at, attempt_id)
) partition by range (sent_at);

create index attempt_event on attempt (event_id);

create table event_default partition of event default;
create table outcome_default partition of outcome default;
create table attempt_default partition of attempt default;

-- Unresolved only: small and hot. A row is deleted when it is resolved.
create table delivery (
  delivery_id  uuid primary key default uuidv7(),
  event_id     uuid not null,
  occurred_at  timestamptz not null,
  merchant_id  uuid not null references endpoint,
  trigger      text not null default 'schedule' check (trigger in ('schedule', 'manual')),
  attempt      smallint not null default 1 check (attempt >= 1),     -- the next one's number
  due_at       timestamptz not null,
  deadline_at  timestamptz not null,

  -- Who is sending it now. A failure is recorded only under the current token.
  lease_token  uuid,
  lease_until  timestamptz,
  constraint delivery_lease_whole check (num_nulls(lease_token, lease_until) in (0, 2))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

create unique index delivery_scheduled on delivery (event_id) where trigger = 'schedule';
create index delivery_event on delivery (event_id) where trigger = 'manual';
create index delivery_endpoint_due on delivery (merchant_id, due_at) where lease_token is null;
create index delivery_due on delivery (due_at) where lease_token is null;
create index delivery_deadline on delivery (deadline_at) where trigger = 'schedule' and attempt > 1;
create index delivery_lease on delivery (lease_until) where lease_token is not null;

-- What came over the stream and is no event, with the reason.
create table poison (
  poison_id    uuid primary key default uuidv7(),
  received_at  timestamptz not null default now(),
  subject      text not null,
  sequence     bigint not null,                          -- in the stream
  reason       text not null check (char_length(reason) <= 2000),
  data         bytea not null
);

-- Who did what: a hash chain that the service can lengthen and read, and nothing else.
create table audit_entry (
  sequence  bigint primary key,
  at        timestamptz not null,
  actor     text not null,
  action    text not null,
  subject   text not null,
  detail    text not null,                               -- JSON
  hash      bytea not null check (octet_length(hash) = 32)
);

-- Makes the daily partitions up to `days_ahead` from now. Runs as the owner, since the service may not alter tables.
create function make_partitions(days_ahead integer) returns integer
language plpgsql security definer set search_path = webhooks, pg_temp as $$
declare
  made integer := 0;
  today constant date := (now() at time zone 'UTC')::date;
  day date;
  parent text;
begin
  perform pg_advisory_xact_lock(hashtext('webhooks.partitions'));
  for day in select generate_series(today - 1, today + days_ahead, interval '1 day')::date loop
    foreach parent in array array['event', 'outcome', 'attempt'] loop
      continue when to_regclass(format('webhooks.%I', parent || to_char(day, '_YYYYMMDD'))) is not null;
      execute format('create table webhooks.%I partition of webhooks.%I for values from (%L) to (%L)',
        parent || to_char(day, '_YYYYMMDD'), parent, day::timestamp at time zone 'UTC',
        (day + 1)::timestamp at time zone 'UTC');
      made := made + 1;
    end loop;
  end loop;
  return made;
end $$;

-- Drops what is older than the given numbers of days: retention never deletes rows.
create function drop_partitions(event_days integer, attempt_days integer) returns integer
language plpgsql security definer set search_path = webhooks, pg_temp as $$
declare
  dropped integer := 0;
  today constant date := (now() at time zone 'UTC')::date;
  part record;
begin
  perform pg_advisory_xact_lock(hashtext('webhooks.partitions'));
  for part in
    select child.relname as name, parent.relname as parent, to_date(right(child.relname, 8), 'YYYYMMDD') as day
    from pg_inherits
      join pg_class parent on parent.oid = inhparent
      join pg_class child on child.oid = inhrelid
    where parent.relnamespace = 'webhooks'::regnamespace and child.relname ~ '^(event|outcome|attempt)_\d{8}$'
  loop
    if part.day < today - (case when part.parent = 'attempt' then attempt_days else event_days end) then
      execute format('drop table webhooks.%I', part.name);
      dropped := dropped + 1;
    end if;
  end loop;
  return dropped;
end $$;

revoke all on function make_partitions(integer), drop_partitions(integer, integer) from public;
grant execute on function make_partitions(integer), drop_partitions(integer, integer) to webhooks_app;

select make_partitions(7);

grant select, insert, update on endpoint to webhooks_app;
grant select, insert on event to webhooks_app;
grant select on event_default, outcome_default, attempt_default to webhooks_app;
grant select, insert, update (outcome, resolved_at) on outcome to webhooks_app;
grant select, insert on attempt to webhooks_app;
grant select, insert, update, delete on delivery to webhooks_app;
grant select, insert on poison to webhooks_app;
grant select, insert on audit_entry to webhooks_app;
