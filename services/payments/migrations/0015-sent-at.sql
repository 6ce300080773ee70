-- When an operation was sent last, or may have been; null where nothing of it has left this machine. A bank that carries out
-- repeats gets it again only when the call before can no longer arrive. The default is for the rows that are there, and for
-- those that a version without this column inserts.
alter table payment_operation add column sent_at timestamptz default now();
-- The same for the refund that gives back a settled charge, and how often it was sent: of two processes that found the same
-- only one sends it.
alter table payment_reversal
  add column refund_sent_at timestamptz,
  add column refund_sends integer not null default 0;
