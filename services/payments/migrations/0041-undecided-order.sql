-- A second attempt at a merchant's order is refused while the first is undecided (docs/adr/0036). A payment claims its order unless
-- the merchant allows attempts side by side: true while it does, false where its cardholder's challenge has given the order
-- free, null where it never did. A process of the version before leaves it null, and its payments take no part.
-- Where the table is large, make both by hand first (docs/upgrade.md, "The index of undecided orders").
set local lock_timeout = '3s';
alter table payment add column if not exists claims_order boolean;
create unique index if not exists payment_of_undecided_order on payment (merchant_id, order_id)
  where claims_order and state in ('ENROLLING', 'AUTHORIZING', 'REVERSING');
