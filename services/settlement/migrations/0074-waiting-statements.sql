-- The days that may await the bank, or people, at the upgrade; one that is older is looked at when something of it changes. It is
-- a migration of its own, since it reads a month of lines, which the locks of the one before would stop.
insert into statement_change (merchant_id, currency, day)
select distinct merchant_id, currency, coalesce(settles_on, transacted_at::date) from line
where coalesce(settles_on, transacted_at::date) > current_date - 31 and merchant_id is not null;
