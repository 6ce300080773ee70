-- Refunds, who decided about them, and the events that leave with their final states.
-- Runs as refunds_owner; the service runs as refunds_app, which may not alter anything and may not rewrite the past.

create table refund (
  refund_id               uuid primary key,              -- drawn by the gateway (UUIDv7)
  payment_id              uuid not null,                 -- of the payment, in another schema
  merchant_id             uuid not null,

  -- Changes only through the transition table in refund.ts, and only by guarded updates.
  state                   text not null check (state in (
                            'RESERVING', 'PENDING_APPROVAL', 'EXECUTING', 'SETTLING', 'FAILING', 'REJECTING',
                            'SUCCESS', 'FAILED', 'REJECTED')),
  version                 integer not null check (version >= 0),      -- number of history rows; none while RESERVING
  state_since             timestamptz not null default now(),

  -- What was asked for, and by which operator on the merchant's behalf.
  amount_minor            bigint not null check (amount_minor > 0),
  currency                char(3) not null,
  currency_exponent       smallint not null check (currency_exponent between 0 and 4),
  requested_by            text check (char_length(requested_by) between 1 and 200),
  request_reason          text check (char_length(request_reason) between 1 and 1000),

  -- What the reservation told of the payment; all null until then.
  kind                    text check (kind in ('refund', 'release')),
  parent_reference        text check (char_length(parent_reference) <= 128),
  order_id                text check (char_length(order_id) between 1 and 64),
  customer_id             text check (char_length(customer_id) between 1 and 64),
  installment_count       smallint check (installment_count between 1 and 12),
  card_holder_name        text check (char_length(card_holder_name) between 2 and 45),
  masked_pan              text check (masked_pan ~ '^\d{6}\*+\d{4}$'),
  dom_int                 text check (dom_int in ('DOM', 'INT')),
  card_scheme             text,
  card_type               text,
  card_sub_type           text,
  loyalty_code            text,

  rejected_by             text check (char_length(rejected_by) between 1 and 200),
  rejection_reason        text check (char_length(rejection_reason) between 1 and 200),

  -- What the acquirer said. The reference we gave it begins with the refund's id.
  external_transaction_id text,
  auth_code               text,
  result_code             text,
  result_message          text,

  traceparent             text check (char_length(traceparent) <= 64),   -- W3C, of the request that made it

  -- Who works on it now. A process that lost its lease can change nothing: updates ask for the token.
  lease_token             uuid,
  lease_until             timestamptz,

  -- When recovery looks at it next: null where nothing is under way, not before the lease's end while somebody works.
  recover_at              timestamptz,
  recovery_attempts       integer not null default 0,    -- in this state
  last_inquiry            text check (char_length(last_inquiry) <= 64),

  created_at              timestamptz not null default now(),
  updated_at              timestamptz not null default now(),

  constraint refund_under_way_is_recovered check (
    (state in ('RESERVING', 'EXECUTING', 'SETTLING', 'FAILING', 'REJECTING')) = (recover_at is not null)),
  constraint refund_reserved_is_described check (
    state = 'RESERVING' or (kind is not null and parent_reference is not null and order_id is not null
      and installment_count is not null and card_holder_name is not null and masked_pan is not null))
);

create index refund_recovery on refund (recover_at) where recover_at is not null;
create index refund_queue on refund (state, created_at, refund_id);
create index refund_merchant on refund (merchant_id, created_at, refund_id);
create index refund_oldest on refund (created_at, refund_id);

-- A refund that is RESERVING has none, and is the only one that can be deleted: these rows hold the others.
create table refund_history (
  refund_id   uuid not null references refund,
  version     integer not null,
  from_state  text not null,
  to_state    text not null,
  cause       text not null check (char_length(cause) <= 64),
  at          timestamptz not null default now(),
  xact_id     xid8 not null default pg_current_xact_id(),
  primary key (refund_id, version)
);

-- One row for each operator who approved; the key is why nobody approves twice.
create table refund_approval (
  refund_id    uuid not null references refund,
  approved_by  text not null check (char_length(approved_by) between 1 and 200),
  note         text check (char_length(note) between 1 and 1000),
  at           timestamptz not null default clock_timestamp(),
  primary key (refund_id, approved_by)
);

-- One row for each final state, committed with it; closed when the webhook dispatcher confirms that it has the event.
-- The columns are those of every service's outbox; payment_id is the refund's id, as in the webhook's body.
create table outbox (
  event_id      uuid primary key default uuidv7(),       -- x-event-id; its time is occurred_at
  occurred_at   timestamptz not null generated always as (uuid_extract_timestamp(event_id)) stored,
  event_type    text not null,
  payment_id    uuid not null references refund (refund_id),
  merchant_id   uuid not null,
  status        text not null,
  body          bytea not null,                          -- the webhook's exact bytes
  traceparent   text,
  xact_id       xid8 not null default pg_current_xact_id(),
  confirmed_at  timestamptz,
  publish_attempts  integer not null default 0 check (publish_attempts >= 0),
  publish_at        timestamptz                          -- when it is published again, unless confirmed before
);

-- Rows are found by what they lack, never by a position in a sequence: transactions do not commit in its order.
create index outbox_unpublished on outbox (event_id) where confirmed_at is null and publish_attempts = 0;
create index outbox_unconfirmed on outbox (publish_at) where confirmed_at is null and publish_attempts > 0;

-- What a merchant's Idempotency-Key was used for; claimed with the refund, answered with its record.
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

grant select, insert, update, delete on refund to refunds_app;
grant select, insert on refund_history, refund_approval, audit_entry to refunds_app;
grant select, insert, update (answer), delete on idempotency_key to refunds_app;
grant select, insert, update (confirmed_at, publish_attempts, publish_at) on outbox to refunds_app;
