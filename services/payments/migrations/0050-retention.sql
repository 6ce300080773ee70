-- What grows with payments and is not the payment itself ends (docs/retention.md). Each function deletes one page and reads
-- not much more: by the order of a key where that is the order of time, else by an index of what may go. Where a page asks
-- about other tables' rows, the function has settings of the planner: it would rather read such a table whole.

-- Deletes a page of the outbox: rows that are confirmed and older than given. What nobody has confirmed stays, however old it
-- is. It runs as the owner, since the service may not remove an event; 3 days are the least that the settings allow. Of all
-- processes one deletes, and the others find nothing to do.
-- `after`: where the page before ended. `reached`: where this one did; null when nothing is behind it.
create function purge_outbox(older_than interval, after uuid, rows_max integer, out deleted integer, out reached uuid)
language plpgsql security definer set search_path = payments, pg_temp as $$
declare
  -- Ids are UUIDv7, so their order is that of the events.
  too_young constant uuid := uuidv7(-older_than);
  ids uuid[];
begin
  if older_than < interval '3 days' or rows_max not between 1 and 10000 then
    raise exception 'what is younger than 3 days is kept, whoever asks' using errcode = '22023';
  end if;
  deleted := 0;
  if not pg_try_advisory_xact_lock(hashtext('payments.purge_outbox')) then return; end if;
  ids := array(select event_id from outbox where event_id > after and event_id < too_young order by event_id limit rows_max);
  if cardinality(ids) = rows_max then reached := ids[rows_max]; end if;
  delete from outbox where event_id = any(ids) and confirmed_at is not null;
  get diagnostics deleted = row_count;
end $$;

revoke all on function purge_outbox(interval, uuid, integer) from public;
grant execute on function purge_outbox(interval, uuid, integer) to payments_app;

-- The sessions of payments that are settled. An authentication stays longer, as evidence for a dispute.
create index if not exists three_ds_session_without_evidence on three_ds_session (expires_at)
  where trans_status is null and eci is null and ds_trans_id is null;

create function purge_sessions(older_than interval, with_evidence boolean, rows_max integer) returns integer
language plpgsql security definer set search_path = payments, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ended_before constant timestamptz := now() - older_than;
  too_young constant uuid := uuidv7(-older_than);
  ids uuid[];
  deleted integer := 0;
begin
  if older_than < interval '1 day' or rows_max not between 1 and 10000 then
    raise exception 'what ended less than a day ago is kept, whoever asks' using errcode = '22023';
  end if;
  if not pg_try_advisory_xact_lock(hashtext('payments.purge_sessions')) then return 0; end if;
  if with_evidence then
    -- All others of this age are gone, so that this walk in the order of time meets what it deletes.
    ids := array(
      select payment_id from three_ds_session as session
      where payment_id < too_young and expires_at < ended_before
        and exists (select from payment where payment.payment_id = session.payment_id and recover_at is null)
      order by payment_id limit rows_max);
  else
    ids := array(
      select payment_id from three_ds_session as session
      where trans_status is null and eci is null and ds_trans_id is null and expires_at < ended_before
        and exists (select from payment where payment.payment_id = session.payment_id and recover_at is null)
      order by expires_at limit rows_max);
  end if;
  delete from three_ds_session where payment_id = any(ids);
  get diagnostics deleted = row_count;
  return deleted;
end $$;

-- Checkouts that are closed, with their attempts, once each attempt's payment is settled.
create index if not exists checkout_closed on checkout (closed_at)
  where closed_at is not null;

create function purge_checkouts(older_than interval, rows_max integer) returns integer
language plpgsql security definer set search_path = payments, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ids uuid[];
  deleted integer := 0;
begin
  if older_than < interval '1 day' or rows_max not between 1 and 10000 then
    raise exception 'what ended less than a day ago is kept, whoever asks' using errcode = '22023';
  end if;
  if not pg_try_advisory_xact_lock(hashtext('payments.purge_checkouts')) then return 0; end if;
  ids := array(
    select checkout_id from checkout
    where closed_at < now() - older_than and not exists (
      select from checkout_payment as attempt join payment using (payment_id)
      where attempt.checkout_id = checkout.checkout_id and recover_at is not null)
    order by closed_at limit rows_max);
  delete from checkout_payment where checkout_id = any(ids);
  delete from checkout where checkout_id = any(ids);
  get diagnostics deleted = row_count;
  return deleted;
end $$;

revoke all on function purge_sessions(interval, boolean, integer), purge_checkouts(interval, integer) from public;
grant execute on function purge_sessions(interval, boolean, integer), purge_checkouts(interval, integer) to payments_app;

-- How far a task has come that changes old rows once: it goes on from there, and never reads what it has done.
create table purge_progress (
  task        text primary key check (char_length(task) <= 64),
  through_at  timestamptz not null default '-infinity',
  through_id  uuid not null default '00000000-0000-0000-0000-000000000000'
);
insert into purge_progress (task) values ('forget addresses');
grant select, update (through_at, through_id) on purge_progress to payments_app;
