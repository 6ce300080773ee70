-- Lists of payments, newest first, by what people look for. Each index has the order of the list, so that a page reads what
-- it shows and nothing else; those of one value have the merchant last, so that other merchants' rows are not even fetched.
-- Where the table is large, make them by hand first (docs/upgrade.md, "Indexes for lists").

create index if not exists payment_of_merchant on payment (merchant_id, created_at, payment_id);
create index if not exists payment_in_time on payment (created_at, payment_id);
-- The status that merchants see, in the words of services/payments/src/list/payment-list-table.ts.
create index if not exists payment_of_status on payment (
  merchant_id,
  (case when state in ('ENROLLING', 'AUTHORIZING', 'REVERSING', 'CANCELLING') then 'ENROLLED' else state end),
  created_at, payment_id);
create index if not exists payment_of_order on payment (order_id, created_at, payment_id, merchant_id);
create index if not exists payment_of_customer on payment (customer_id, created_at, payment_id, merchant_id)
  where customer_id is not null;
create index if not exists payment_of_card on payment (right(masked_pan, 4), created_at, payment_id, merchant_id);
create index if not exists payment_of_transaction on payment (external_transaction_id, created_at, payment_id, merchant_id)
  where external_transaction_id is not null;
create index if not exists payment_of_auth_code on payment (auth_code, created_at, payment_id, merchant_id)
  where auth_code is not null;

-- The checkouts of one merchant, newest first.
create index if not exists checkout_of_merchant on checkout (merchant_id, created_at, checkout_id);
create index if not exists checkout_of_order on checkout (order_id, created_at, checkout_id, merchant_id);
