-- A merchant may have several endpoints, each with the events it wants, its own secret and its own deliveries.
--
-- The default endpoint stays in `endpoint` and `delivery`, where a dispatcher of the version before goes on delivering
-- to it. The others are in `further_endpoint` and `further_delivery`, which that version does not see: it would end the
-- deliveries of all endpoints with the first success. This version reads both through their parents, `every_endpoint`
-- and `every_delivery`, which have no rows of their own.
set local lock_timeout = '3s';

-- The default endpoint's id is its merchant's; the version before inserts rows without it.
alter table endpoint
  add column endpoint_id uuid,
  add column events text[] not null default '{payment.status_changed}'
    constraint endpoint_events_some check (cardinality(events) between 1 and 64);
update endpoint set endpoint_id = merchant_id;
alter table delivery add column endpoint_id uuid;

create function name_default_endpoint() returns trigger
language plpgsql set search_path = webhooks, pg_temp as $$
begin
  new.endpoint_id := new.merchant_id;
  return new;
end $$;
revoke all on function name_default_endpoint() from public;
create trigger endpoint_default before insert on endpoint
  for each row when (new.endpoint_id is null) execute function name_default_endpoint();
create trigger delivery_default before insert on delivery
  for each row when (new.endpoint_id is null) execute function name_default_endpoint();

create table every_endpoint (like endpoint including defaults including constraints);
alter table endpoint inherit every_endpoint;
create table further_endpoint (
  primary key (endpoint_id)
) inherits (every_endpoint);
-- No two endpoints of a merchant have one URL: each event would be sent there twice.
create unique index further_endpoint_url on further_endpoint (merchant_id, url) where enabled;
create index further_endpoint_disabled on further_endpoint (endpoint_id) where not enabled;
create index endpoint_off on endpoint (endpoint_id) where not enabled;
create unique index endpoint_id on endpoint (endpoint_id);
-- As migration 0005 made them for the default endpoints.
create index further_endpoint_secret_key on further_endpoint
  (encode(substring(secret from 3 for get_byte(secret, 1)), 'escape')) where enabled;
create index further_endpoint_next_secret_key on further_endpoint
  (encode(substring(next_secret from 3 for get_byte(next_secret, 1)), 'escape')) where enabled and next_secret is not null;

create table every_delivery (like delivery including defaults including constraints);
alter table delivery inherit every_delivery;
create table further_delivery (
  primary key (delivery_id),
  foreign key (endpoint_id) references further_endpoint
) inherits (every_delivery)
with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create unique index further_delivery_scheduled on further_delivery (event_id, endpoint_id) where trigger = 'schedule';
create index further_delivery_endpoint on further_delivery (endpoint_id);
create index further_delivery_event on further_delivery (event_id) where trigger = 'manual';
create index further_delivery_endpoint_due on further_delivery (endpoint_id, due_at) where lease_token is null;
create index further_delivery_deadline on further_delivery (deadline_at) where trigger = 'schedule' and attempt > 1;
create index further_delivery_lease on further_delivery (lease_until) where lease_token is not null;
create index delivery_due_of_endpoint on delivery (endpoint_id, due_at) where lease_token is null;

-- What became of an event at each further endpoint that wants it; `outcome` is null while it is pending there. Of the
-- default endpoint the table `outcome` says it. `skipped`: the endpoint did not want it, and it is sent there by hand.
create table further_outcome (
  occurred_at  timestamptz not null,
  event_id     uuid not null,
  endpoint_id  uuid not null,
  outcome      text check (outcome in ('delivered', 'failed', 'skipped', 'cancelled')),
  resolved_at  timestamptz,
  primary key (occurred_at, event_id, endpoint_id)
) partition by range (occurred_at);
create index further_outcome_log on further_outcome (endpoint_id, occurred_at desc, event_id desc);
create index further_outcome_not_delivered on further_outcome (endpoint_id, outcome, occurred_at desc, event_id desc)
  where outcome <> 'delivered';
create table further_outcome_default partition of further_outcome default;

-- Null in rows of the version before, which knows the default endpoint only.
alter table attempt add column endpoint_id uuid;

-- How an endpoint does, as the dispatchers that send to it report every few seconds.
create table endpoint_health (
  endpoint_id      uuid primary key,
  last_success_at  timestamptz,
  last_failure_at  timestamptz,
  failing_since    timestamptz,                          -- the first failure after the last success
  breaker_open     boolean not null,
  reported_at      timestamptz not null
) with (fillfactor = 50);

grant select, update on every_endpoint to webhooks_app;
grant select, insert, delete on further_endpoint to webhooks_app;
grant select, update, delete on every_delivery to webhooks_app;
grant select, insert on further_delivery to webhooks_app;
grant select, insert, update (outcome, resolved_at) on further_outcome to webhooks_app;
grant select on further_outcome_default to webhooks_app;
grant select, insert, update, delete on endpoint_health to webhooks_app;

-- The days of `further_outcome` are made and dropped with the others. The rest of both functions is as migrations 0003
-- and 0004 made it, but that the deliveries to every endpoint keep their day.
create or replace function make_partitions(days_ahead integer) returns integer
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
    foreach parent in array array['event', 'outcome', 'further_outcome', 'attempt'] loop
      continue when to_regclass(format('webhooks.%I', parent || to_char(day, '_YYYYMMDD'))) is not null;
      execute format('create table webhooks.%I partition of webhooks.%I for values from (%L) to (%L)',
        parent || to_char(day, '_YYYYMMDD'), parent, day::timestamp at time zone 'UTC',
        (day + 1)::timestamp at time zone 'UTC');
      made := made + 1;
    end loop;
  end loop;
  return made;
end $$;

create or replace function drop_partitions(event_days integer, attempt_days integer) returns integer
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
  delete from outcome_default where (occurred_at, event_id) in (
    select occurred_at, event_id from outcome_default as old
    where occurred_at < first_event
      and not exists (select from every_delivery as pending where pending.event_id = old.event_id and trigger = 'schedule')
      and not exists (select from every_delivery as pending where pending.event_id = old.event_id and trigger = 'manual')
    limit rows_max);
  delete from further_outcome_default where (occurred_at, event_id, endpoint_id) in (
    select occurred_at, event_id, endpoint_id from further_outcome_default as old
    where occurred_at < first_event
      and not exists (select from every_delivery as pending where pending.event_id = old.event_id and trigger = 'schedule')
      and not exists (select from every_delivery as pending where pending.event_id = old.event_id and trigger = 'manual')
    limit rows_max);
  delete from event_default where (occurred_at, event_id) in (
    select occurred_at, event_id from event_default as old
    where occurred_at < first_event
      and not exists (select from every_delivery as pending where pending.event_id = old.event_id and trigger = 'schedule')
      and not exists (select from every_delivery as pending where pending.event_id = old.event_id and trigger = 'manual')
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
      where parent.relnamespace = 'webhooks'::regnamespace
        and child.relname ~ '^(event|outcome|further_outcome|attempt)_\d{8}$'
    ) as found
    -- A day's events go before their outcomes, so that a resend by hand finds both or neither.
    order by day, array_position(array['event', 'outcome', 'further_outcome', 'attempt'], found.parent::text)
  loop
    continue when part.day >= today - (case when part.parent = 'attempt' then attempt_days else event_days end);
    if part.parent <> 'attempt' then
      continue when exists (select from every_delivery where occurred_at >= part.starts and occurred_at < part.ends);
      -- Whoever has read an event of this day, and is about to insert a delivery for it, is waited for.
      execute format('lock table only webhooks.%I in access exclusive mode', part.parent);
      continue when exists (select from every_delivery where occurred_at >= part.starts and occurred_at < part.ends);
    end if;
    execute format('drop table webhooks.%I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

select make_partitions(7);
