-- What the relay keeps with each event while nobody has confirmed it (see the outbox package).

alter table outbox
  add publish_attempts  integer not null default 0 check (publish_attempts >= 0),
  add publish_at        timestamptz;                     -- when it is published again, unless confirmed before

-- Rows are found by what they lack, never by a position in a sequence: transactions do not commit in its order.
create index outbox_unpublished on outbox (event_id) where confirmed_at is null and publish_attempts = 0;
create index outbox_unconfirmed on outbox (publish_at) where confirmed_at is null and publish_attempts > 0;

grant update (publish_attempts, publish_at) on outbox to payments_app;
