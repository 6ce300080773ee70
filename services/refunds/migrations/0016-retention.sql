-- Events end when they are confirmed and old enough (docs/retention.md).

-- Deletes a page of the outbox: rows that are confirmed and older than given. What nobody has confirmed stays, however old it
-- is. It runs as the owner, since the service may not remove an event; 3 days are the least that the settings allow. Of all
-- processes one deletes, and the others find nothing to do.
-- `after`: where the page before ended. `reached`: where this one did; null when nothing is behind it.
create function purge_outbox(older_than interval, after uuid, rows_max integer, out deleted integer, out reached uuid)
language plpgsql security definer set search_path = refunds, pg_temp as $$
declare
  -- Ids are UUIDv7, so their order is that of the events.
  too_young constant uuid := uuidv7(-older_than);
  ids uuid[];
begin
  if older_than < interval '3 days' or rows_max not between 1 and 10000 then
    raise exception 'what is younger than 3 days is kept, whoever asks' using errcode = '22023';
  end if;
  deleted := 0;
  if not pg_try_advisory_xact_lock(hashtext('refunds.purge_outbox')) then return; end if;
  ids := array(select event_id from outbox where event_id > after and event_id < too_young order by event_id limit rows_max);
  if cardinality(ids) = rows_max then reached := ids[rows_max]; end if;
  delete from outbox where event_id = any(ids) and confirmed_at is not null;
  get diagnostics deleted = row_count;
end $$;

revoke all on function purge_outbox(interval, uuid, integer) from public;
grant execute on function purge_outbox(interval, uuid, integer) to refunds_app;
