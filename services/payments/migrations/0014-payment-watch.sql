-- Payments that have ended although the bank, which had not seen them, could still carry them out: they are looked at once
-- more after the bank's day, and until nothing of them is left there.
create table payment_watch (
  payment_id   uuid primary key references payment,
  due_at       timestamptz not null,
  attempts     integer not null default 0,
  -- The bank has shown money under the payment's reference.
  sighted_at   timestamptz,
  ended_at     timestamptz,
  last_inquiry text check (length(last_inquiry) <= 100)
);
create index payment_watch_due on payment_watch (due_at) where ended_at is null;

grant select, insert, update (due_at, attempts, sighted_at, ended_at, last_inquiry) on payment_watch to payments_app;
