-- Cases that the bank has to be answered about, by their deadline: they are few, and looked for each minute.
-- Where cases are many, make it by hand first (docs/upgrade.md, "The index of deadlines").
create index if not exists chargeback_to_answer on chargeback (respond_by) where status = 'OPEN' and respond_by is not null;
