-- Refunds, who decided about them, and the events that leave with their final states.
-- Runs as refunds_owner; the service runs as refunds_app, which may not alter anything and may not rewrite the past.

-- Refunds --------------------------------------------------------------------------------------------------------------

create table refund (
  refund_id               uuid primary key,              -- drawn by the gateway (UUIDv7)
  payment_id              uuid not null,                 -- of the payment, in another schema
  merchant_id             uuid not null,

  -- Changes only through the transition table in refund.ts, and only by guarded updates.
  state                   text not null default 'RESERVING' check (state in (
                            'RESERVING', 'PENDING_APPROVAL', 'EXECUTING', 'SETTLING', 'FAILING', 'REJECTING',
                            'SUCCESS', 'FAILED', 'REJECTED')),
  version                 integer not null check (version >= 0),      -- number of history rows; none while RESERVING
  state_since             timestamptz not null default now(),

  -- The request, and the operator who made it on the merchant's behalf.
  amount_minor            bigint not null check (amount_minor > 0),
  currency                char(3) not null,
  currency_exponent       smallint not null check (currency_exponent between 0 and 4),
  requested_by            text check (char_length(requested_by) between 1 and 1000),
  request_reason          text check (char_length(request_reason) between 1 and 1000),
  -- The person who issued the credential that the merchant asked with may not decide about the refund. Null where an
  -- operator asked.
  credential_issued_by    text check (char_length(credential_issued_by) between 1 and 1000),

  -- The payment's facts from the reservation; all null until then.
  kind                    text check (kind in ('refund', 'release')),
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
  -- The account that the payment is stored with: refunds of one account hold no place of another's. Null until it is
  -- reserved.
  account_id              uuid,

  -- The number of people who have to approve, as `payments` has said when it was reserved, and when it was decided.
  approvals_required      smallint check (approvals_required between 1 and 2),
  rejected_by             text check (char_length(rejected_by) between 1 and 1000),
  rejection_reason        text check (char_length(rejection_reason) between 1 and 200),

  -- The bank's answer, and our last reference there, as `payments` says them, which alone knows the calls. The reference
  -- begins with the refund's id; null while it is the first one.
  bank_reference          text check (char_length(bank_reference) <= 128),
  external_transaction_id text,
  auth_code               text,
  result_code             text,
  result_message          text,
  -- The amount that the bank says it has paid under our reference, if not what was asked for; both null otherwise.
  approved_minor          bigint check (approved_minor > 0),
  approved_currency       char(3),
  as_void                 boolean not null default false,    -- the bank has voided the whole payment, and reports no refund

  traceparent             text check (char_length(traceparent) <= 64),   -- W3C, of the request that made it

  -- The lease of the process at work. A process that lost its lease can change nothing: updates ask for the token.
  lease_token             uuid,
  lease_until             timestamptz,

  -- The time of recovery's next look: null where nothing is under way, not before the lease's end while a process
  -- works.
  recover_at              timestamptz,
  recovery_attempts       integer not null default 0,    -- in this state
  last_inquiry            text check (char_length(last_inquiry) <= 64),
  -- A bank's notification that came while a process worked on the refund: its inquiry may have been answered before what
  -- the notification is about, so the next one is brought forward. Null where none has come since the last inquiry began.
  notified_at             timestamptz,

  created_at              timestamptz not null default now(),
  updated_at              timestamptz not null default now(),

  constraint refund_under_way_is_recovered check (
    (state in ('RESERVING', 'EXECUTING', 'SETTLING', 'FAILING', 'REJECTING')) = (recover_at is not null)),
  constraint refund_reserved_is_described check (
    state = 'RESERVING' or (kind is not null and order_id is not null
      and installment_count is not null and card_holder_name is not null and masked_pan is not null
      and account_id is not null))
);

-- The workers' queues.
create index refund_recovery on refund (recover_at) where recover_at is not null;
create index refund_queue on refund (state, created_at, refund_id);
-- Decided and not ended, in the order of the operators' list: four states, which refund_queue cannot give in one order.
create index refund_under_way on refund (created_at, refund_id)
  where state in ('EXECUTING', 'SETTLING', 'FAILING', 'REJECTING');
-- The operators' list of one merchant's refunds in one state: that merchant may have a long past and none that waits.
create index refund_merchant_queue on refund (merchant_id, state, created_at, refund_id);

-- Lists of refunds in the order of time, by what people look for: each has the order of the list, so that a page reads
-- what it shows and nothing else. Those of one value have the merchant last, so that other merchants' rows are not even
-- fetched.
create index refund_oldest on refund (created_at, refund_id);
create index refund_merchant on refund (merchant_id, created_at, refund_id);
-- The status that merchants see, in the words of services/refunds/src/list/refund-list-table.ts.
create index refund_of_status on refund (
  merchant_id,
  (case when state in ('EXECUTING', 'SETTLING', 'FAILING', 'REJECTING') then 'PENDING_APPROVAL' else state end),
  created_at, refund_id);
create index refund_of_payment on refund (payment_id, created_at, refund_id);
create index refund_of_order on refund (order_id, created_at, refund_id, merchant_id);
create index refund_of_customer on refund (customer_id, created_at, refund_id, merchant_id)
  where customer_id is not null;
create index refund_of_card on refund (right(masked_pan, 4), created_at, refund_id, merchant_id);
create index refund_of_transaction on refund (external_transaction_id, created_at, refund_id, merchant_id)
  where external_transaction_id is not null;
create index refund_of_auth_code on refund (auth_code, created_at, refund_id, merchant_id)
  where auth_code is not null;
-- Refunds of test mode alone, which are few among the others. Their merchants' ids are of version 8 (RFC 9562).
create index refund_of_test_mode on refund (created_at, refund_id)
  where uuid_extract_version(merchant_id) is not distinct from 8;

-- A refund begins in the first state, with the request and its lease, and the request stands from then on.
grant select, delete, insert (refund_id, payment_id, merchant_id, version, amount_minor, currency, currency_exponent, requested_by,
  request_reason, credential_issued_by, traceparent, lease_token, lease_until, recover_at), update (state, version, state_since, currency_exponent, kind, order_id, customer_id, installment_count,
  card_holder_name, masked_pan, dom_int, card_scheme, card_type, card_sub_type, loyalty_code, account_id, approvals_required,
  rejected_by, rejection_reason, bank_reference, external_transaction_id, auth_code, result_code, result_message,
  approved_minor, approved_currency, as_void, lease_token, lease_until, recover_at, recovery_attempts, last_inquiry, notified_at,
  updated_at) on refund to refunds_app;

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

-- The feed of movements, in the order of transactions (docs/adr/0055).
create index refund_history_feed on refund_history (xact_id, refund_id);

grant select, insert on refund_history to refunds_app;

-- Decisions ------------------------------------------------------------------------------------------------------------

-- One row for each operator who approved; the key is why nobody approves twice.
create table refund_approval (
  refund_id    uuid not null references refund,
  approved_by  text not null check (char_length(approved_by) between 1 and 1000),
  note         text check (char_length(note) between 1 and 1000),
  -- The request that approved: a copy of its message that arrives later is no second attempt of that person.
  request_id   text not null check (char_length(request_id) <= 64),
  at           timestamptz not null default clock_timestamp(),
  primary key (refund_id, approved_by)
);

-- The approvals of one person in the last day.
create index refund_approval_of_person on refund_approval (approved_by, at);

grant select, insert on refund_approval to refunds_app;

-- A refund is carried out, or shown as paid, only after as many people have approved as it takes, none of whom asked.
-- `payments`, which pays, believes no row of this schema (docs/adr/0062): this keeps true what is shown about a refund.
create function refund_is_approved() returns trigger language plpgsql set search_path = refunds, pg_temp as $$
declare
  -- One person may have acted as an operator and as staff (packages/contracts/src/person.ts).
  kind constant text := '^(operator|staff) ';
begin
  if (select count(*) from refund_approval where refund_id = new.refund_id
        and regexp_replace(approved_by, kind, '') is distinct from regexp_replace(new.requested_by, kind, '')
        and regexp_replace(approved_by, kind, '') is distinct from regexp_replace(new.credential_issued_by, kind, ''))
      < coalesce(new.approvals_required, 1) then
    raise exception 'refund %: not enough people have approved it', new.refund_id using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
revoke execute on function refund_is_approved() from public;

create constraint trigger refund_executes_approved after update of state on refund
  for each row when (new.state in ('EXECUTING', 'SETTLING', 'SUCCESS')) execute function refund_is_approved();

-- The outcome that one operator has proposed for a refund, and another one has to confirm.
create table refund_resolution (
  refund_id    uuid primary key references refund,
  outcome      text not null check (outcome in ('SUCCESS', 'FAILED')),
  evidence     text not null check (char_length(evidence) between 1 and 1000),
  proposed_by  text not null check (char_length(proposed_by) between 1 and 1000),
  proposed_at  timestamptz not null default now()
);

grant select, insert, update, delete on refund_resolution to refunds_app;

-- Events ---------------------------------------------------------------------------------------------------------------

-- One row for each final state, committed with it; closed when the webhook dispatcher confirms that it has the event.
-- The columns are those of every service's outbox; payment_id is the refund's id, as in the webhook's body. It has no
-- reference: the statement that ends a refund inserts the row, and a reference would lock the refund's row for each
-- event and look through all events for each refund that is removed.
create table outbox (
  event_id          uuid primary key default uuidv7(),   -- x-event-id; its time is occurred_at
  occurred_at       timestamptz not null generated always as (uuid_extract_timestamp(event_id)) stored,
  event_type        text not null,
  payment_id        uuid not null,
  merchant_id       uuid not null,
  status            text not null,
  body              bytea not null,                      -- the webhook's exact bytes
  traceparent       text,
  xact_id           xid8 not null default pg_current_xact_id(),
  confirmed_at      timestamptz,
  -- The relay's record of an event that is not confirmed yet (see the outbox package).
  publish_attempts  integer not null default 0 check (publish_attempts >= 0),
  publish_at        timestamptz                          -- when it is published again, unless confirmed before
);

-- Rows are found by what they lack, never by a position in a sequence: transactions do not commit in its order.
create index outbox_unpublished on outbox (event_id) where confirmed_at is null and publish_attempts = 0;
create index outbox_unconfirmed on outbox (publish_at) where confirmed_at is null and publish_attempts > 0;

grant select, insert, update (confirmed_at, publish_attempts, publish_at) on outbox to refunds_app;

-- Deletes a page of the outbox: rows that are confirmed and older than given. An unconfirmed row stays, however old it is.
-- It runs as the owner, since the service may not remove an event. 3 days are the least that the settings allow. One
-- process deletes, and the others find nothing to do. `after` is the end of the page before. `reached` is the end of this
-- one, and null when nothing is behind it.
create function purge_outbox(older_than interval, after uuid, rows_max integer, out deleted integer, out reached uuid)
language plpgsql security definer set search_path = refunds, pg_temp as $$
declare
  -- Ids are UUIDv7, so their order is that of the events.
  too_young constant uuid := uuidv7(-older_than);
  ids uuid[];
begin
  if older_than < interval '3 days' or rows_max not between 1 and 10000 then
    raise exception 'what is younger than 3 days is kept, whoever asks' using errcode = '22023';
  end if;
  deleted := 0;
  if not pg_try_advisory_xact_lock(hashtext('refunds.purge_outbox')) then return; end if;
  ids := array(select event_id from outbox where event_id > after and event_id < too_young order by event_id limit rows_max);
  if cardinality(ids) = rows_max then reached := ids[rows_max]; end if;
  delete from outbox where event_id = any(ids) and confirmed_at is not null;
  get diagnostics deleted = row_count;
end $$;
revoke all on function purge_outbox(interval, uuid, integer) from public;
grant execute on function purge_outbox(interval, uuid, integer) to refunds_app;

-- Idempotency ----------------------------------------------------------------------------------------------------------

-- The use of a merchant's Idempotency-Key; claimed with the refund, answered with its record.
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

grant select, insert, update (answer), delete on idempotency_key to refunds_app;

-- Audit log ------------------------------------------------------------------------------------------------------------

-- Actions and their actors: a hash chain that the service can lengthen and read, and nothing else.
create table audit_entry (
  sequence  bigint primary key,
  at        timestamptz not null,
  actor     text not null,
  action    text not null,
  subject   text not null,
  detail    text not null,                               -- JSON
  hash      bytea not null check (octet_length(hash) = 32)
);

-- Operators read the log newest first, alone or by one of these three; the key answers none of that.
create index audit_entry_in_time on audit_entry (at, sequence);
create index audit_entry_of_subject on audit_entry (subject, at, sequence);
create index audit_entry_of_actor on audit_entry (actor, at, sequence);
create index audit_entry_of_action on audit_entry (action, at, sequence);

grant select, insert on audit_entry to refunds_app;
-- The role that verifies the log can read it, and nothing else. The installation has made the role.
grant select on audit_entry to holdfast_auditor;

-- Migrations -----------------------------------------------------------------------------------------------------------

-- A service looks which migrations have run before it starts (docs/adr/0052).
grant select (name) on migration to refunds_app;
