-- What happens to a payment after it was authorized: capture, cancellation, expiry, and what refunds reserve of it.
-- All of them go through the payment's row, which is how they exclude each other.

alter table payment
  -- Where the money is, in minor units. A refund of an authorization that was not captured is a release.
  add column captured_minor bigint not null default 0 check (captured_minor between 0 and amount_minor),
  add column released_minor bigint not null default 0 check (released_minor >= 0),
  add column reserved_minor bigint not null default 0 check (reserved_minor >= 0),
  add column refunded_minor bigint not null default 0 check (refunded_minor >= 0),
  -- The capture, cancellation or expiry that is under way; there is never more than one.
  add column operation_id uuid,
  add constraint payment_refunds_within_amount check (
    refunded_minor + reserved_minor <= case when state = 'CAPTURED' then captured_minor else amount_minor - released_minor end),
  add constraint payment_released_within_amount check (captured_minor + released_minor <= amount_minor);

create table payment_operation (
  operation_id      uuid primary key,                    -- drawn by the gateway, or by the expiry worker
  payment_id        uuid not null references payment,
  kind              text not null check (kind in ('CAPTURE', 'CANCEL', 'EXPIRY')),
  amount_minor      bigint not null check (amount_minor > 0),
  commission_minor  bigint not null check (commission_minor >= 0),
  reason            text check (char_length(reason) <= 200),

  -- IN_FLIGHT until the acquirer's answer is known; DROPPED was never sent.
  state             text not null check (state in ('IN_FLIGHT', 'DONE', 'DECLINED', 'DROPPED')),
  result_code       text,
  result_message    text,

  traceparent       text check (char_length(traceparent) <= 64),
  created_at        timestamptz not null default now(),
  finished_at       timestamptz,
  check ((state = 'IN_FLIGHT') = (finished_at is null))
);

create index payment_operation_payment on payment_operation (payment_id, created_at);
create unique index payment_operation_one_in_flight on payment_operation (payment_id) where state = 'IN_FLIGHT';

-- What refunds hold of payments; a refusal and an end stay as tombstones, so that a late copy changes nothing.
create table refund_reservation (
  refund_id     uuid primary key,
  payment_id    uuid not null,
  merchant_id   uuid,                                    -- null for a refund that was ended before it was reserved
  amount_minor  bigint not null check (amount_minor >= 0),
  kind          text check (kind in ('refund', 'release')),
  state         text not null check (state in ('ACTIVE', 'SETTLED', 'RELEASED', 'REFUSED')),
  refusal       text,                                    -- JSON of the refusal, with state REFUSED
  created_at    timestamptz not null default now(),
  ended_at      timestamptz
);

create index refund_reservation_active on refund_reservation (payment_id) where state = 'ACTIVE';

-- Authorizations that may expire, oldest first.
create index payment_expiring on payment (created_at)
  where state = 'SUCCESS' and transaction_type = 'PRE_AUTHORIZATION' and operation_id is null;

grant select, insert, update on payment_operation, refund_reservation to payments_app;
