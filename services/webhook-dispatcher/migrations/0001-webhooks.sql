-- Merchants' webhook endpoints, the events that were accepted from their owners, and what became of each at each endpoint.
-- Runs as webhooks_owner. The service runs as webhooks_app, which may not alter anything and may not rewrite an event.

-- Up to some ten for each merchant. The default one has the merchant's id, and its row stays when it is removed: a version of a
-- secret is never used twice. The others are deleted an hour after they were removed. Secrets are AES-256-GCM under a key that is
-- not in this database.
create table endpoint (
  endpoint_id        uuid primary key,
  merchant_id        uuid not null,
  url                text not null check (char_length(url) between 1 and 2048),
  events             text[] not null default '{payment.status_changed}' check (cardinality(events) between 1 and 64),

  -- 'waiting' and 'skipping' are switched off: what comes meanwhile waits, or is skipped. Nothing is sent but to 'on'.
  state              text not null default 'on' check (state in ('on', 'waiting', 'skipping', 'removed')),
  attempts_until     timestamptz,                        -- switched on again: what waited may be tried until then
  max_in_flight      smallint not null default 8 check (max_in_flight between 1 and 64),

  secret             bytea not null,                     -- signs x-request-signature
  secret_version     integer not null default 1 check (secret_version >= 1),

  -- A new secret, until the merchant has activated it or its time has come: it signs x-request-signature-next.
  next_secret        bytea,
  next_version       integer,
  activates_at       timestamptz,
  constraint endpoint_rotation_whole check (num_nulls(next_secret, next_version, activates_at) in (0, 3)),

  -- The request that generated the latest secret: a copy of it on the bus is answered with the same secret.
  secret_request_id  text not null,

  -- Headers that the owner adds to every request: all of them with their values, encrypted as the secrets are, and their
  -- names for people.
  headers            bytea,
  header_names       text[] not null default '{}' check (cardinality(header_names) <= 10),
  constraint endpoint_headers_whole check ((headers is null) = (cardinality(header_names) = 0)),

  -- Rises with every change of URL, events or headers. A change may name the one that it was made from: nobody overwrites
  -- what they have not seen.
  version            integer not null default 1 check (version >= 1),

  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now()
);

-- Finds a merchant's endpoints, no two of which have one URL: each event would be sent there twice. A URL may be longer than
-- an entry of an index, its hash is not.
create unique index endpoint_url on endpoint (merchant_id, hashtextextended(url, 0)) where state <> 'removed';
create index endpoint_not_on on endpoint (endpoint_id) where state <> 'on';

-- The keys under which secrets are encrypted, in one look-up for each: the key's id is within the bytes (version,
-- length, id). A dispatcher that starts without a key which is needed refuses, and `keys reencrypt` finds what is left
-- to do.
create index endpoint_secret_key on endpoint
  (encode(substring(secret from 3 for get_byte(secret, 1)), 'escape')) where state <> 'removed';
create index endpoint_next_secret_key on endpoint
  (encode(substring(next_secret from 3 for get_byte(next_secret, 1)), 'escape')) where state <> 'removed' and next_secret is not null;

create index endpoint_headers_key on endpoint
  (encode(substring(headers from 3 for get_byte(headers, 1)), 'escape')) where state <> 'removed' and headers is not null;

-- A merchant's settings, in each mode; one without a row has those of everybody.
create table merchant_setting (
  merchant_id  uuid primary key,
  managed_by   text not null check (managed_by in ('operators', 'staff', 'api')), -- those who may change its endpoints
  updated_at   timestamptz not null default now()
);

-- The health of an endpoint, as the dispatchers that send to it report every few seconds.
create table endpoint_health (
  endpoint_id      uuid primary key,
  last_success_at  timestamptz,
  last_failure_at  timestamptz,
  failing_since    timestamptz,                          -- the first failure after the last success
  breaker_open     boolean not null,
  reported_at      timestamptz not null,
  warnings         smallint not null default 0           -- of this outage, at the merchant's other endpoints
) with (fillfactor = 50);

create index endpoint_health_failing on endpoint_health (failing_since) where failing_since is not null;

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
  primary key (occurred_at, event_id)
) partition by range (occurred_at);

create index event_merchant on event (merchant_id, occurred_at desc, event_id desc);
create index event_payment on event (payment_id);

-- The outcome of an event at an endpoint; none while it is pending there. `failed` can still become `delivered`, by a
-- resend.
-- Every event is pending or has an outcome at its merchant's default endpoint, `skipped` where that is off or does not
-- want it. At another endpoint `skipped` says that it was off, or did not want the event and is sent it by hand.
-- The endpoint comes first in the key, which is the order of an endpoint's log. One index is enough on a table that
-- gets a row for each delivery: the outcome of one event at all endpoints is asked for rarely, and skips through it
-- within one day.
create table outcome (
  endpoint_id  uuid not null,
  occurred_at  timestamptz not null,
  event_id     uuid not null,
  outcome      text not null check (outcome in ('delivered', 'failed', 'skipped', 'cancelled')),
  resolved_at  timestamptz not null default now(),
  primary key (endpoint_id, occurred_at, event_id)
) partition by range (occurred_at);

-- The rare ones, of one endpoint and of all.
create index outcome_not_delivered_at on outcome (endpoint_id, outcome, occurred_at, event_id) where outcome <> 'delivered';
create index outcome_not_delivered on outcome (outcome, occurred_at, event_id) where outcome <> 'delivered';

-- Each request that was made, kept for a shorter time.
create table attempt (
  attempt_id      uuid not null,
  sent_at         timestamptz not null,
  event_id        uuid not null,
  endpoint_id     uuid not null,
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

-- The number of an endpoint's attempts of an hour that ended alike. They are counted by the statement that records them, so they are
-- what `attempt` has. Four buckets of durations double them.
create table endpoint_hour (
  endpoint_id      uuid not null,
  hour             timestamptz not null,
  result           text not null,                        -- 'answered' with 2xx, or the error
  duration_bucket  smallint not null,
  count            integer not null check (count > 0),
  primary key (endpoint_id, hour, result, duration_bucket)
) with (fillfactor = 50);

create index endpoint_hour_age on endpoint_hour (hour);  -- the purge takes what is oldest

-- Rows of days without a partition, which are reported as errors.
create table event_default partition of event default;
create table outcome_default partition of outcome default;
create table attempt_default partition of attempt default;

-- Unresolved only: small and hot. A row is deleted when it is resolved.
create table delivery (
  delivery_id  uuid primary key default uuidv7(),
  event_id     uuid not null,
  occurred_at  timestamptz not null,
  endpoint_id  uuid not null references endpoint,
  trigger      text not null default 'schedule' check (trigger in ('schedule', 'manual')),
  attempt      smallint not null default 1 check (attempt >= 1),     -- the next one's number
  due_at       timestamptz not null,
  deadline_at  timestamptz not null,

  -- The lease of the process that is sending it. A failure is recorded only under the current token.
  lease_token  uuid,
  lease_until  timestamptz,
  constraint delivery_lease_whole check (num_nulls(lease_token, lease_until) in (0, 2))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- One by the schedule for each event and endpoint, and any number by hand. All of an endpoint are found by it, in the order of
-- their events.
create unique index delivery_event on delivery
  (endpoint_id, event_id, (case when trigger = 'manual' then delivery_id end)) nulls not distinct;

-- The index of the claim, which goes from one endpoint to the next. An index by time alone tempts the planner: it takes
-- a million deliveries that wait for one dead merchant for the way to the next due one of another, and reads them all
-- (a claim of 88: 1 962 ms; by endpoint: 3 ms).
create index delivery_due on delivery (endpoint_id, due_at) where lease_token is null;
create index delivery_deadline on delivery (deadline_at) where trigger = 'manual' or attempt > 1;
create index delivery_lease on delivery (lease_until) where lease_token is not null;

-- Messages of the stream that are no events, with the reason: each once, however often its owner publishes it.
create table poison (
  poison_id    uuid primary key default uuidv7(),
  received_at  timestamptz not null default now(),
  subject      text not null,
  sequence     bigint not null,                          -- in the stream
  reason       text not null check (char_length(reason) <= 2000),
  data         bytea not null,
  message_key  text not null unique                      -- the event's id, or a hash of what has none
);

create index poison_received on poison (received_at);    -- the purge takes what is oldest

-- Actions and their actors: a hash chain that the service can lengthen and read, and nothing else.
create table audit_entry (
  sequence  bigint primary key,
  at        timestamptz not null,
  actor     text not null,
  action    text not null,
  subject   text not null,
  detail    text not null,                               -- JSON
  hash      bytea not null check (octet_length(hash) = 32)
);

-- Operators read the log newest first, alone or by one of these three.
create index audit_entry_in_time on audit_entry (at, sequence);
create index audit_entry_of_subject on audit_entry (subject, at, sequence);
create index audit_entry_of_actor on audit_entry (actor, at, sequence);
create index audit_entry_of_action on audit_entry (action, at, sequence);

-- These functions run as the owner, since the service may not alter tables: their arguments are bounded here. 3 days are the
-- least that the service's settings allow; a webhook is repeated for 2.

-- Makes the daily partitions up to `days_ahead` from now.
create function make_partitions(days_ahead integer) returns integer
language plpgsql security definer set search_path = webhooks, pg_temp as $$
declare
  made integer := 0;
  today constant date := (now() at time zone 'UTC')::date;
  day date;
  parent text;
begin
  if days_ahead not between 0 and 31 then
    raise exception 'partitions are made for 0 to 31 days ahead, not %', days_ahead using errcode = '22023';
  end if;
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

-- Drops the days that are older than the given numbers of days, but no day with deliveries that are pending: a delivery
-- without its event could neither be sent nor shown. It is kept until they have ended. Rows that are in no day of their own,
-- and what is no event, go by the same age, a number of them in each run.
create function drop_partitions(event_days integer, attempt_days integer) returns integer
language plpgsql security definer set search_path = webhooks, pg_temp as $$
declare
  rows_max constant integer := 10000;
  dropped integer := 0;
  today constant date := (now() at time zone 'UTC')::date;
  first_event constant timestamptz := (today - event_days)::timestamp at time zone 'UTC';
  first_attempt constant timestamptz := (today - attempt_days)::timestamp at time zone 'UTC';
  part record;
begin
  if least(event_days, attempt_days) < 3 then
    raise exception 'what is younger than 3 days is kept, whoever asks' using errcode = '22023';
  end if;
  perform pg_advisory_xact_lock(hashtext('webhooks.partitions'));
  -- The rows come first: the days' lock stops everybody, and lasts until the end.
  delete from outcome_default where (endpoint_id, occurred_at, event_id) in (
    select endpoint_id, occurred_at, event_id from outcome_default as old
    where occurred_at < first_event
      and not exists (select from delivery as pending where pending.event_id = old.event_id)
    limit rows_max);
  delete from event_default where (occurred_at, event_id) in (
    select occurred_at, event_id from event_default as old
    where occurred_at < first_event
      and not exists (select from delivery as pending where pending.event_id = old.event_id)
    limit rows_max);
  delete from attempt_default where (sent_at, attempt_id) in (
    select sent_at, attempt_id from attempt_default where sent_at < first_attempt limit rows_max);
  delete from poison where poison_id in (
    select poison_id from poison where received_at < first_event limit rows_max);

  for part in
    select found.*, found.day::timestamp at time zone 'UTC' as starts, (found.day + 1)::timestamp at time zone 'UTC' as ends
    from (
      select child.relname as name, parent.relname as parent, to_date(right(child.relname, 8), 'YYYYMMDD') as day
      from pg_inherits
        join pg_class parent on parent.oid = inhparent
        join pg_class child on child.oid = inhrelid
      where parent.relnamespace = 'webhooks'::regnamespace and child.relname ~ '^(event|outcome|attempt)_\d{8}$'
    ) as found
    -- A day's events go before their outcomes, so that a resend by hand finds both or neither.
    order by day, array_position(array['event', 'outcome', 'attempt'], found.parent::text)
  loop
    continue when part.day >= today - (case when part.parent = 'attempt' then attempt_days else event_days end);
    if part.parent <> 'attempt' then
      continue when exists (select from delivery where occurred_at >= part.starts and occurred_at < part.ends);
      -- Waits for a transaction that has read an event of this day, and is about to insert a delivery for it.
      execute format('lock table only webhooks.%I in access exclusive mode', part.parent);
      continue when exists (select from delivery where occurred_at >= part.starts and occurred_at < part.ends);
    end if;
    execute format('drop table webhooks.%I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

-- Takes hours that are older than the given number of days, a number of them in each run. Says whether more may be left.
create function purge_hours(attempt_days integer) returns boolean
language plpgsql security definer set search_path = webhooks, pg_temp as $$
declare
  rows_max constant integer := 10000;
  taken integer;
begin
  if attempt_days < 3 then
    raise exception 'what is younger than 3 days is kept, whoever asks' using errcode = '22023';
  end if;
  perform pg_advisory_xact_lock(hashtext('webhooks.partitions'));
  delete from endpoint_hour where (endpoint_id, hour, result, duration_bucket) in (
    select endpoint_id, hour, result, duration_bucket from endpoint_hour
    where hour < ((now() at time zone 'UTC')::date - attempt_days)::timestamp at time zone 'UTC'
    limit rows_max);
  get diagnostics taken = row_count;
  return taken = rows_max;
end $$;

revoke all on function make_partitions(integer), drop_partitions(integer, integer), purge_hours(integer) from public;
grant execute on function make_partitions(integer), drop_partitions(integer, integer), purge_hours(integer) to webhooks_app;

select make_partitions(7);

grant select, insert, update, delete on endpoint, endpoint_health, delivery to webhooks_app;
grant select, insert, update on merchant_setting, endpoint_hour to webhooks_app;
grant select, insert on event, attempt, poison, audit_entry to webhooks_app;
grant select, insert, update (outcome, resolved_at) on outcome to webhooks_app;
grant select on event_default, outcome_default, attempt_default to webhooks_app;
grant select (name) on migration to webhooks_app;        -- the service looks which migrations have run before it starts

-- The role that verifies the audit log can read it, and nothing else.
grant select on audit_entry to holdfast_auditor;
