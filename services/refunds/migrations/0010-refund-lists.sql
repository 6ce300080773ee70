-- Lists of refunds by what people look for, in the order of time, as in the migration 0022-payment-lists of payments. The
-- lists of one merchant and of all have their indexes already.
-- Where the table is large, make them by hand first (docs/upgrade.md, "Indexes for lists").

-- The status that merchants see, in the words of services/refunds/src/list/refund-list-table.ts.
create index if not exists refund_of_status on refund (
  merchant_id,
  (case when state in ('EXECUTING', 'SETTLING', 'FAILING', 'REJECTING') then 'PENDING_APPROVAL' else state end),
  created_at, refund_id);
create index if not exists refund_of_payment on refund (payment_id, created_at, refund_id);
create index if not exists refund_of_order on refund (order_id, created_at, refund_id, merchant_id);
create index if not exists refund_of_customer on refund (customer_id, created_at, refund_id, merchant_id)
  where customer_id is not null;
create index if not exists refund_of_card on refund (right(masked_pan, 4), created_at, refund_id, merchant_id);
create index if not exists refund_of_transaction on refund (external_transaction_id, created_at, refund_id, merchant_id)
  where external_transaction_id is not null;
create index if not exists refund_of_auth_code on refund (auth_code, created_at, refund_id, merchant_id)
  where auth_code is not null;
