-- Revisions of statements: what a merchant's day came to each time that it was complete with another content.

create table statement (
  statement_id  uuid primary key default uuidv7(),
  merchant_id   uuid not null,
  currency      char(3) not null,
  day           date not null,
  revision      integer not null default 0 check (revision >= 0),      -- the latest; 0 until it is complete for the first time
  -- Something up to the day was not reported by the bank when it was looked at: it is looked at again when all of it is.
  awaits        boolean not null default false,
  unique (day, merchant_id, currency)
);

create index statement_awaiting on statement (merchant_id, currency, day) where awaits;

-- Amounts in minor units, and seen from the merchant: what is given back is negative.
create table statement_revision (
  statement_id       uuid not null references statement,
  revision           integer not null check (revision >= 1),
  sales_minor        bigint not null,
  refunds_minor      bigint not null,
  chargebacks_minor  bigint not null,
  commission_minor   bigint not null,
  bank_fees_minor    bigint not null,
  lines              integer not null check (lines >= 0),
  digest             bytea not null check (octet_length(digest) = 32),  -- SHA-256 of the lines that it is made of, in their order
  recorded_at        timestamptz not null default now(),
  primary key (statement_id, revision)
);

-- What may have changed a statement, or made it complete, until somebody has looked. Rows are only added, so that nobody who
-- changes lines or facts waits for another, and a change that is noted twice is looked at once.
create table statement_change (
  change_id    uuid primary key default uuidv7(),
  merchant_id  uuid not null,
  currency     char(3) not null,
  day          date,                                     -- null: of any day that awaits the bank
  not_before   timestamptz,                              -- when the day will be over; null where something has changed
  look_at      timestamptz not null default now()        -- from when on; while a process looks, when another one may
);

create index statement_change_due on statement_change (look_at);
create index statement_change_age on statement_change (change_id) where not_before is null;
create index statement_change_planned on statement_change (not_before) where not_before is not null;
create unique index statement_change_day on statement_change (merchant_id, currency, day) where not_before is not null;
create index statement_change_of_merchant on statement_change (merchant_id, currency, look_at);

grant select, insert, update (revision, awaits) on statement to settlement_app;
grant select, insert on statement_revision to settlement_app;
grant select, insert, update (look_at), delete on statement_change to settlement_app;

-- What merchants are told of it leaves as events do elsewhere: one row for each, committed with what it reports, and closed when
-- the webhook dispatcher confirms that it has the event. The columns are those of every service's outbox; payment_id is the
-- statement's id.
create table outbox (
  event_id          uuid primary key default uuidv7(),   -- x-event-id; its time is occurred_at
  occurred_at       timestamptz not null generated always as (uuid_extract_timestamp(event_id)) stored,
  event_type        text not null,
  payment_id        uuid not null,
  merchant_id       uuid not null,
  status            text not null,
  body              bytea not null,                      -- the webhook's exact bytes
  traceparent       text,
  xact_id           xid8 not null default pg_current_xact_id(),
  confirmed_at      timestamptz,
  publish_attempts  integer not null default 0 check (publish_attempts >= 0),
  publish_at        timestamptz                          -- when it is published again, unless confirmed before
);

-- Rows are found by what they lack, never by a position in a sequence: transactions do not commit in its order.
create index outbox_unpublished on outbox (event_id) where confirmed_at is null and publish_attempts = 0;
create index outbox_unconfirmed on outbox (publish_at) where confirmed_at is null and publish_attempts > 0;

grant select, insert, update (confirmed_at, publish_attempts, publish_at) on outbox to settlement_app;

-- Deletes a page of the outbox: rows that are confirmed and older than given. What nobody has confirmed stays, however old it
-- is. It runs as the owner, since the service may not remove an event; 3 days are the least that the settings allow. Of all
-- processes one deletes, and the others find nothing to do.
-- `after`: where the page before ended. `reached`: where this one did; null when nothing is behind it.
create function purge_outbox(older_than interval, after uuid, rows_max integer, out deleted integer, out reached uuid)
language plpgsql security definer set search_path = settlement, pg_temp as $$
declare
  -- Ids are UUIDv7, so their order is that of the events.
  too_young constant uuid := uuidv7(-older_than);
  ids uuid[];
begin
  if older_than < interval '3 days' or rows_max not between 1 and 10000 then
    raise exception 'what is younger than 3 days is kept, whoever asks' using errcode = '22023';
  end if;
  deleted := 0;
  if not pg_try_advisory_xact_lock(hashtext('settlement.purge_outbox')) then return; end if;
  ids := array(select event_id from outbox where event_id > after and event_id < too_young order by event_id limit rows_max);
  if cardinality(ids) = rows_max then reached := ids[rows_max]; end if;
  delete from outbox where event_id = any(ids) and confirmed_at is not null;
  get diagnostics deleted = row_count;
end $$;

revoke all on function purge_outbox(interval, uuid, integer) from public;
grant execute on function purge_outbox(interval, uuid, integer) to settlement_app;
