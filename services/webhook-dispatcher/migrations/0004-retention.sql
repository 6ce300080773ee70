-- Retention covers everything that has to do with an event, and takes no event away from under its deliveries.

-- What came and is no event is kept once, however often its owner publishes it: by the event's id where it has one.
alter table poison add column message_key text;
create unique index poison_message on poison (message_key);

-- Drops the days that are older than the given numbers of days, but no day with deliveries that are pending: a delivery
-- without its event could neither be sent nor shown. It is kept until they have ended. Rows that stand in no day of
-- their own, and what is no event, go by the same age, a number of them in each run.
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
      and not exists (select from delivery where delivery.event_id = old.event_id and trigger = 'schedule')
      and not exists (select from delivery where delivery.event_id = old.event_id and trigger = 'manual')
    limit rows_max);
  delete from event_default where (occurred_at, event_id) in (
    select occurred_at, event_id from event_default as old
    where occurred_at < first_event
      and not exists (select from delivery where delivery.event_id = old.event_id and trigger = 'schedule')
      and not exists (select from delivery where delivery.event_id = old.event_id and trigger = 'manual')
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
      -- Whoever has read an event of this day, and is about to insert a delivery for it, is waited for.
      execute format('lock table only webhooks.%I in access exclusive mode', part.parent);
      continue when exists (select from delivery where occurred_at >= part.starts and occurred_at < part.ends);
    end if;
    execute format('drop table webhooks.%I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
