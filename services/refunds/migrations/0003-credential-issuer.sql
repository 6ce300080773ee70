-- Which operator issued the credential that the refund was requested with: that person may not decide about it. Null where
-- an operator requested it, where that is not known, and in rows that are older than the column.

-- The services' statements queue behind a lock that is waited for.
set local lock_timeout = '3s';

alter table refund add column credential_issued_by text check (char_length(credential_issued_by) between 1 and 200);

-- The request that approved: a copy of its message that arrives later is no second attempt of that person. Null in rows that
-- are older than the column.
alter table refund_approval add column request_id text check (char_length(request_id) <= 64);
