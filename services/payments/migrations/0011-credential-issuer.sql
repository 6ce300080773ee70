-- Which operator issued the credential with which a merchant asked: that person may not settle what became of it. Null where
-- that is not known, and in rows that are older than the columns. A checkout's payments have the checkout's.

-- The services' statements queue behind a lock that is waited for.
set local lock_timeout = '3s';

alter table payment add column credential_issued_by text check (char_length(credential_issued_by) between 1 and 200);

alter table payment_operation
  add column credential_issued_by text check (char_length(credential_issued_by) between 1 and 200);

alter table checkout add column credential_issued_by text check (char_length(credential_issued_by) between 1 and 200);
