-- These functions run as the owner, so the service may do with them what it may not do by itself: their arguments are
-- bounded here. 3 days are the least that the service's settings allow; a webhook is repeated for 2.

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

create or replace function drop_partitions(event_days integer, attempt_days integer) returns integer
language plpgsql security definer set search_path = webhooks, pg_temp as $$
declare
  dropped integer := 0;
  today constant date := (now() at time zone 'UTC')::date;
  part record;
begin
  if least(event_days, attempt_days) < 3 then
    raise exception 'what is younger than 3 days is kept, whoever asks' using errcode = '22023';
  end if;
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
