-- Statements that would read more with every year get an index (tests/years). On large tables make it by hand before the
-- upgrade (docs/upgrade.md).

-- A refund asks what else was sent to the bank for its payment.
create index if not exists refund_reservation_of_payment on refund_reservation (payment_id);

-- A payment that is removed is looked for here.
create index if not exists checkout_of_payment on checkout (payment_id) where payment_id is not null;

-- Operators read the log newest first, alone or by one of these three; the key answers none of that.
create index if not exists audit_entry_in_time on audit_entry (at, sequence);
create index if not exists audit_entry_of_subject on audit_entry (subject, at, sequence);
create index if not exists audit_entry_of_actor on audit_entry (actor, at, sequence);
create index if not exists audit_entry_of_action on audit_entry (action, at, sequence);

set local lock_timeout = '3s';

-- A row is inserted by the statement that ends its payment, and so names one that exists. The reference cost a lock of that row
-- for each event, and a look through all events for each payment that is removed.
alter table outbox drop constraint if exists outbox_payment_id_fkey;
