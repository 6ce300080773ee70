-- Whether a statement is complete: what a merchant's bank has not reported yet, by one index. On a large table make it by
-- hand before the upgrade (docs/upgrade.md).
create index if not exists fact_unreported_of_merchant on fact (merchant_id, currency, occurred_at)
  where standing = 'DONE' and not reported;
