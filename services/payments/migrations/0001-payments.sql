-- Payments, their history, and the events that leave with their final states.
-- Runs as payments_owner; the service runs as payments_app, which may not alter anything and may not rewrite the past.

create table payment (
  payment_id              uuid primary key,              -- drawn by the gateway (UUIDv7)
  merchant_id             uuid not null,
  transaction_type        text not null check (transaction_type in ('PRE_AUTHORIZATION', 'PAYMENT')),

  -- Changes only through the transition table in payment.ts, and only by guarded updates.
  state                   text not null check (state in (
                            'AUTHORIZING', 'REVERSING', 'ENROLLED',
                            'SUCCESS', 'FAILED', 'REJECTED', 'CANCELLED', 'CAPTURED')),
  version                 integer not null check (version >= 1),      -- number of history rows

  -- What the merchant asked for.
  order_id                text not null check (char_length(order_id) between 1 and 64),
  customer_id             text check (char_length(customer_id) between 1 and 64),
  amount_minor            bigint not null check (amount_minor > 0),
  currency                char(3) not null,
  currency_exponent       smallint not null check (currency_exponent between 0 and 4),
  installment_count       smallint not null check (installment_count between 1 and 12),
  commission_minor        bigint not null check (commission_minor >= 0),
  request_ip              text not null check (char_length(request_ip) <= 45),
  request_port            integer not null check (request_port between 1 and 65535),

  -- The card, as far as it may be kept: never the number, never the cvv.
  card_holder_name        text not null check (char_length(card_holder_name) between 2 and 45),
  masked_pan              text not null check (masked_pan ~ '^\d{6}\*+\d{4}$'),
  pan_fingerprint         bytea not null check (octet_length(pan_fingerprint) = 32),  -- keyed hash
  dom_int                 text check (dom_int in ('DOM', 'INT')),
  card_scheme             text,
  card_type               text,
  card_sub_type           text,
  loyalty_code            text,

  -- What the acquirer said. The reference we gave it begins with the payment's id.
  external_transaction_id text,
  auth_code               text,
  result_code             text,
  result_message          text,

  traceparent             text check (char_length(traceparent) <= 64),   -- W3C, of the request that made it

  -- Who works on it now. A process that lost its lease can change nothing: updates ask for the token.
  lease_token             uuid,
  lease_until             timestamptz,

  -- When recovery looks at it next: null once settled, not before the lease's end while somebody works on it.
  recover_at              timestamptz,
  recovery_attempts       integer not null default 0,
  last_inquiry            text check (char_length(last_inquiry) <= 64),

  created_at              timestamptz not null default now(),
  updated_at              timestamptz not null default now()
);

create index payment_recovery on payment (recover_at) where recover_at is not null;

create table payment_history (
  payment_id  uuid not null references payment,
  version     integer not null,
  from_state  text,                                      -- null for the row's creation
  to_state    text not null,
  cause       text not null check (char_length(cause) <= 64),
  at          timestamptz not null default now(),
  xact_id     xid8 not null default pg_current_xact_id(),
  primary key (payment_id, version)
);

-- One row for each final state, committed with it; closed when the webhook dispatcher confirms that it has the event.
create table outbox (
  event_id      uuid primary key default uuidv7(),       -- x-event-id; its time is occurred_at
  occurred_at   timestamptz not null generated always as (uuid_extract_timestamp(event_id)) stored,
  event_type    text not null,
  payment_id    uuid not null references payment,
  merchant_id   uuid not null,
  status        text not null,
  body          bytea not null,                          -- the webhook's exact bytes
  traceparent   text,
  xact_id       xid8 not null default pg_current_xact_id(),
  confirmed_at  timestamptz
);

-- What a merchant's Idempotency-Key was used for; claimed with the payment, answered with its record.
create table idempotency_key (
  merchant_id  uuid not null,
  scope        text not null check (char_length(scope) <= 128),        -- method and path
  key          text not null check (char_length(key) between 1 and 255),
  fingerprint  bytea not null check (octet_length(fingerprint) = 32),
  resource_id  uuid not null,
  answer       bytea,                                                  -- JSON of the first final answer
  created_at   timestamptz not null default now(),
  primary key (merchant_id, scope, key)
);

create index idempotency_key_resource on idempotency_key (resource_id);
create index idempotency_key_created on idempotency_key (created_at);

-- What one operator says became of an unresolved payment, until a second one says the same.
create table payment_resolution (
  payment_id   uuid primary key references payment,
  outcome      text not null check (outcome in ('SUCCESS', 'FAILED')),
  evidence     text not null check (char_length(evidence) between 1 and 1000),
  proposed_by  text not null check (char_length(proposed_by) between 1 and 200),
  proposed_at  timestamptz not null default now()
);

-- Who did what: a hash chain that the service can lengthen and read, and nothing else.
create table audit_entry (
  sequence  bigint primary key,
  at        timestamptz not null,
  actor     text not null,
  action    text not null,
  subject   text not null,
  detail    text not null,                               -- JSON
  hash      bytea not null check (octet_length(hash) = 32)
);

grant select, insert, update, delete on payment_resolution to payments_app;
grant select, insert on audit_entry to payments_app;
grant select, insert, update (answer), delete on idempotency_key to payments_app;
grant select, insert, update on payment to payments_app;
grant select, insert on payment_history to payments_app;
grant select, insert, update (confirmed_at) on outbox to payments_app;
