-- When a refund was sent to the bank last, or may have been; null where nothing of it has left this machine. A bank that
-- carries out repeats gets it again only when the call before can no longer arrive. The default is for the rows that are
-- there, and for those that a version without this column inserts.
alter table refund add column sent_at timestamptz default now();
