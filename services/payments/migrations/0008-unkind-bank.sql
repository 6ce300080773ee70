-- What a bank may do that is not kind: call a request too late, approve a part, refuse a reversal because its day is over.

alter table payment
  -- Since when the payment is in its state, and shown in its record; null in rows older than this column.
  add column state_since timestamptz,
  -- When an authorization that was not captured expires; after an expiry that the bank declined, when it is tried again.
  add column authorization_expires_at timestamptz;

-- The defaults are for rows that a version without these columns inserts.
alter table payment
  alter column state_since set default now(),
  alter column authorization_expires_at set default now() + interval '7 days';

-- Rises where the bank has called a request too late without judging it: that reference is spent, and the operation is sent
-- under the next one.
alter table payment_operation
  add column sub_reference smallint not null default 1 check (sub_reference >= 1);

-- What the bank has said of payments that are to be reversed; one row from the first answer that is not plain.
create table payment_reversal (
  payment_id           uuid primary key references payment,
  approved_minor       bigint check (approved_minor > 0),   -- what the bank says it approved, if not what was asked for
  sent_at              timestamptz,                         -- when a reversal was sent first, whatever came of it
  settled_at           timestamptz,                         -- the bank said that only a refund gives the money back
  refund_sub_reference smallint not null default 1 check (refund_sub_reference >= 1),
  refused_at           timestamptz,                         -- when it last refused the reversal or its refund
  refusal_code         text check (char_length(refusal_code) <= 64),
  refusal_message      text check (char_length(refusal_message) <= 200),
  check ((refused_at is null) = (refusal_code is null))
);

grant select, insert, update on payment_reversal to payments_app;

grant delete on refund_reservation to payments_app;
