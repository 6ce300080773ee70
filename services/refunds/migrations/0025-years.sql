-- Statements that would read more with every year get an index (tests/years). On large tables make it by hand before the
-- upgrade (docs/upgrade.md).

-- Operators read the log newest first, alone or by one of these three; the key answers none of that.
create index if not exists audit_entry_in_time on audit_entry (at, sequence);
create index if not exists audit_entry_of_subject on audit_entry (subject, at, sequence);
create index if not exists audit_entry_of_actor on audit_entry (actor, at, sequence);
create index if not exists audit_entry_of_action on audit_entry (action, at, sequence);

set local lock_timeout = '3s';

-- A row is inserted by the statement that ends its refund, and so names one that exists. The reference cost a lock of that row
-- for each event, and a look through all events for each refund that is removed.
alter table outbox drop constraint if exists outbox_payment_id_fkey;
