-- Statements: what is owed to a merchant for a day, from the lines that agree with what we know.

-- By the merchant's plan, in minor units; null until its owner has been asked, and of refunds, which have their payment's.
alter table fact add column commission_minor bigint check (commission_minor >= 0);

-- Whose line it is: the merchant of its fact. A statement reads the lines of a merchant and a day by one index.
alter table line add column merchant_id uuid;
update line set merchant_id = fact.merchant_id from fact where fact.fact_id = line.fact_id;

create index line_of_day on line ((coalesce(settles_on, transacted_at::date)), merchant_id) where merchant_id is not null;

-- Their owner is asked for the commission of what is known already.
update fact set account_id = null, ask_at = now() where kind <> 'REFUND' and standing = 'DONE';
