-- A change of an account is noted for all days that await the bank. One that began to wait in another transaction at the same
-- moment was not seen by it, and did not see it: it would have waited for the next change. So each of the two waits for the
-- other's end. Days that begin to wait do not wait for each other.
set local lock_timeout = '3s';

create function note_day_that_waits() returns trigger
language plpgsql set search_path = settlement, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('settlement.account_changed', 0));
  return null;
end $$;

-- Of each statement that inserts, also where it finds the row and has it wait again.
create trigger statement_waits before insert on statement
  for each statement execute function note_day_that_waits();

create or replace function note_changed_account() returns trigger
language plpgsql set search_path = settlement, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('settlement.account_changed', 0));
  -- Of its own, so that it sees what was committed while it waited.
  insert into statement_change (merchant_id, currency) select distinct merchant_id, currency from statement where awaits;
  return null;
end $$;

revoke all on function note_day_that_waits() from public;
