-- A bank's notification that came while a process worked on the refund: its inquiry may have been answered before what the
-- notification is about, so the next one is brought forward. Null where none has come since the last inquiry began.
set local lock_timeout = '3s';
alter table refund add column if not exists notified_at timestamptz;
