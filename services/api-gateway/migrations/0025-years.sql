-- Statements that would read more with every year get an index (tests/years). On large tables make it by hand before the
-- upgrade (docs/upgrade.md).

-- Operators read the log newest first, alone or by one of these three; the key answers none of that.
create index if not exists audit_entry_in_time on audit_entry (at, sequence);
create index if not exists audit_entry_of_subject on audit_entry (subject, at, sequence);
create index if not exists audit_entry_of_actor on audit_entry (actor, at, sequence);
create index if not exists audit_entry_of_action on audit_entry (action, at, sequence);
