-- Where a bank does not give our reference of a refund back, one refund of a payment at a time is under way, and a movement
-- that is known to be another's is not taken for it.
alter table refund_reservation
  add column sent_at timestamptz,
  add column external_transaction_id text check (char_length(external_transaction_id) <= 64);
