-- The calls that an account may make in a minute: one row for each, which is free again a minute after it was taken. A process
-- of the version before takes none, and its calls are not counted.
create table acquirer_call_slot (
  account_id uuid not null references acquirer_account,
  slot       integer not null check (slot between 1 and 6000),
  taken_at   timestamptz not null default '-infinity',
  primary key (account_id, slot)
);
-- Whoever looks for a free one begins with the one that was taken first.
create index acquirer_call_slot_taken_at on acquirer_call_slot (account_id, taken_at);

grant select, insert, update (taken_at) on acquirer_call_slot to payments_app;
