-- Payments, what happens to them until their money has come or gone back, and the events that leave with their states.
-- Runs as payments_owner; the service runs as payments_app, which may not alter anything and may not rewrite the past.
--
-- Two modes share the tables. What belongs to test mode has a merchant's id of version 8 (RFC 9562), and an account of
-- test mode has an id of version 8, too: which mode a row is of is never looked up, and nothing can set it otherwise.

-- Payments -------------------------------------------------------------------------------------------------------------

create table payment (
  payment_id              uuid primary key,              -- drawn by the gateway (UUIDv7)
  merchant_id             uuid not null,
  transaction_type        text not null check (transaction_type in ('PRE_AUTHORIZATION', 'PAYMENT')),

  -- Changes only through the transition table in payment.ts, and only by guarded updates.
  state                   text not null check (state in (
                            'ENROLLING', 'ENROLLED', 'AUTHORIZING', 'REVERSING', 'CANCELLING',
                            'SUCCESS', 'FAILED', 'REJECTED', 'CANCELLED', 'CAPTURED')),
  version                 integer not null check (version >= 1),      -- number of history rows
  -- Since when the payment is in its state, and shown in its record.
  state_since             timestamptz not null default now(),

  -- The merchant's request.
  order_id                text not null check (char_length(order_id) between 1 and 64),
  customer_id             text check (char_length(customer_id) between 1 and 64),
  -- The amount that the card is charged. Where the merchant has sent it, with what the buyer pays for installments, the
  -- order's price stands beside it, and is null otherwise.
  amount_minor            bigint not null check (amount_minor > 0),
  order_amount_minor      bigint check (order_amount_minor between 1 and amount_minor),
  currency                char(3) not null,
  currency_exponent       smallint not null check (currency_exponent between 0 and 4),
  installment_count       smallint not null check (installment_count between 1 and 12),
  request_ip              text not null check (char_length(request_ip) <= 45),
  request_port            integer not null check (request_port between 1 and 65535),
  -- The person who issued the credential that the merchant asked with may not settle what became of the payment. A
  -- checkout's payments have the checkout's.
  credential_issued_by    text check (char_length(credential_issued_by) between 1 and 1000),
  -- A second attempt at a merchant's order is refused while the first is undecided (docs/adr/0036). A payment claims its order
  -- unless the merchant allows attempts side by side: true while it does, false where its cardholder's challenge has given
  -- the order free, null where it never did.
  claims_order            boolean,

  -- The commission by the merchant's plan when the payment was made.
  commission_minor        bigint not null check (commission_minor >= 0),
  refunds_commission      boolean not null,              -- false where its refunds give no commission back

  -- The card, as far as it may be kept: never the number, never the cvv.
  card_holder_name        text not null check (char_length(card_holder_name) between 2 and 45),
  masked_pan              text not null check (masked_pan ~ '^\d{6}\*+\d{4}$'),
  -- A keyed hash, and under which key it was made, since keys can be replaced. Removed when its key has leaked: then it
  -- would tell the number.
  pan_fingerprint         bytea check (octet_length(pan_fingerprint) = 32),
  pan_fingerprint_key_id  text not null check (char_length(pan_fingerprint_key_id) between 1 and 32),
  dom_int                 text check (dom_int in ('DOM', 'INT')),
  card_scheme             text,
  card_type               text,
  card_sub_type           text,
  loyalty_code            text,

  -- The account at a bank that it was sent to, never decided again. No reference: every payment would lock its account's
  -- row, and accounts are never deleted.
  account_id              uuid not null,

  -- The acquirer's answer. The reference we gave it begins with the payment's id.
  external_transaction_id text,
  auth_code               text,
  result_code             text,
  result_message          text,
  -- The class of a FAILED payment's decline, where the bank's code gives one.
  decline_class           text check (decline_class in ('soft', 'hard', 'sca_required', 'stolen', 'limit', 'technical')),

  -- The payment's money, in minor units. A refund of an authorization that was not captured is a release.
  captured_minor          bigint not null default 0 check (captured_minor between 0 and amount_minor),
  released_minor          bigint not null default 0 check (released_minor >= 0),
  reserved_minor          bigint not null default 0 check (reserved_minor >= 0),
  refunded_minor          bigint not null default 0 check (refunded_minor >= 0),
  -- The sum of chargebacks that were not given back. A bank's file decides it: it may be more than what is left.
  charged_back_minor      bigint not null default 0,

  -- The capture, cancellation or expiry that is under way; there is never more than one.
  operation_id            uuid,
  -- The expiry of an authorization that was not captured; after an expiry that the bank declined, its next attempt.
  -- Null where the bank was never asked.
  authorization_expires_at timestamptz,

  traceparent             text check (char_length(traceparent) <= 64),   -- W3C, of the request that made it

  -- The lease of the process at work. A process that lost its lease can change nothing: updates ask for the token.
  lease_token             uuid,
  lease_until             timestamptz,

  -- The time of recovery's next look: null once settled, not before the lease's end while a process works on it.
  recover_at              timestamptz,
  -- The start of its age for recovery, and null for the time of the claim. With 3-D Secure it is the session's end, then
  -- the time of the completion call.
  recovery_from           timestamptz,
  recovery_attempts       integer not null default 0,
  last_inquiry            text check (char_length(last_inquiry) <= 64),
  -- A bank's notification that came while a process worked on the payment: its inquiry may have been answered before what
  -- the notification is about, so the next one is brought forward. Null where none has come since the last inquiry began.
  notified_at             timestamptz,

  created_at              timestamptz not null default now(),
  updated_at              timestamptz not null default now(),

  constraint payment_refunds_within_amount check (
    refunded_minor + reserved_minor
      <= case when state = 'CAPTURED' then captured_minor else amount_minor - released_minor end),
  constraint payment_released_within_amount check (captured_minor + released_minor <= amount_minor),
  -- A payment is sent to an account of its own mode.
  constraint payment_account_is_of_its_mode check (
    (uuid_extract_version(merchant_id) is not distinct from 8) = (uuid_extract_version(account_id) is not distinct from 8))
);

-- The workers' queues. Only what may expire now is in the second: what was captured, released or is reserved leaves it, so
-- reading it costs what is due.
create index payment_recovery on payment (recover_at) where recover_at is not null;
create index payment_authorization_expiry on payment (authorization_expires_at)
  where state = 'SUCCESS' and transaction_type = 'PRE_AUTHORIZATION' and operation_id is null
    and reserved_minor = 0 and released_minor < amount_minor;

-- One payment claims an order while it is undecided.
create unique index payment_of_undecided_order on payment (merchant_id, order_id)
  where claims_order and state in ('ENROLLING', 'AUTHORIZING', 'REVERSING');

-- Indexes for lists of payments, newest first, by the values that people look for. Each has the order of the list, so that
-- a page reads nothing that it does not show. Those of one value end with the merchant, so that rows of other merchants are
-- not fetched.
create index payment_in_time on payment (created_at, payment_id);
create index payment_of_merchant on payment (merchant_id, created_at, payment_id);
-- The status that merchants see, in the words of services/payments/src/people/list/payment-list-table.ts.
create index payment_of_status on payment (
  merchant_id,
  (case when state in ('ENROLLING', 'AUTHORIZING', 'REVERSING', 'CANCELLING') then 'ENROLLED' else state end),
  created_at, payment_id);
create index payment_of_order on payment (order_id, created_at, payment_id, merchant_id);
create index payment_of_customer on payment (customer_id, created_at, payment_id, merchant_id)
  where customer_id is not null;
create index payment_of_card on payment (right(masked_pan, 4), created_at, payment_id, merchant_id);
create index payment_of_transaction on payment (external_transaction_id, created_at, payment_id, merchant_id)
  where external_transaction_id is not null;
create index payment_of_auth_code on payment (auth_code, created_at, payment_id, merchant_id)
  where auth_code is not null;
-- Payments of test mode, for operators. They are few among the others, which are not in this.
create index payment_of_test_mode on payment (created_at, payment_id)
  where uuid_extract_version(merchant_id) is not distinct from 8;

-- The payment itself stands from the beginning: nothing changes its merchant, its amount or its card.
grant select, insert, update (state, version, state_since, request_ip, request_port, claims_order, commission_minor, pan_fingerprint,
  account_id, external_transaction_id, auth_code, result_code, result_message, decline_class, captured_minor, released_minor,
  reserved_minor, refunded_minor, charged_back_minor, operation_id, authorization_expires_at, lease_token, lease_until, recover_at,
  recovery_from, recovery_attempts, last_inquiry, notified_at, updated_at) on payment to payments_app;

-- No reference, for the reason that the outbox has none: each row is written by the statement that changes the payment.
create table payment_history (
  payment_id  uuid not null,
  version     integer not null,
  from_state  text,                                      -- null for the row's creation
  to_state    text not null,
  cause       text not null check (char_length(cause) <= 64),
  at          timestamptz not null default now(),
  xact_id     xid8 not null default pg_current_xact_id(),
  primary key (payment_id, version)
);

-- The feed of movements, in the order of transactions (docs/adr/0055): without the steps before any money has moved.
create index payment_history_feed on payment_history (xact_id, payment_id)
  where to_state not in ('ENROLLING', 'ENROLLED', 'AUTHORIZING');

grant select, insert on payment_history to payments_app;

-- The times when each key made fingerprints, which are compared until they are too old to count. A service notes its
-- key here from time to time. An index on the payments would cost each of them, and this costs none.
create table pan_fingerprint_key (
  key_id         text primary key check (char_length(key_id) between 1 and 32),
  first_used_at  timestamptz not null default now(),
  last_used_at   timestamptz not null default now()
);

grant select, insert, update (last_used_at) on pan_fingerprint_key to payments_app;

-- 3-D Secure -----------------------------------------------------------------------------------------------------------

-- One row for each payment with 3-D Secure, written with its claim. No card data: the acquirer keeps the card under its
-- own session, and completion names that session only.
create table three_ds_session (
  payment_id         uuid primary key references payment,
  session_id         uuid not null,                      -- drawn by the gateway; in the signed state of the return URL
  expires_at         timestamptz not null,               -- the challenge has to be passed before

  -- The final destinations of the browser, and the public page that leads to the challenge.
  success_url        text not null check (char_length(success_url) <= 2048),
  failure_url        text not null check (char_length(failure_url) <= 2048),
  page_url           text not null check (char_length(page_url) <= 2048),

  -- The acquirer's session, which the completion sends back. It is long at some banks.
  acquirer_session   text check (char_length(acquirer_session) <= 2000),
  -- The challenge for the cardholder's browser, of any kind; null where none was wanted. It is emptied when the payment
  -- is completed and when its session ends: then nobody can be shown it.
  challenge          jsonb check (octet_length(challenge::text) <= 524288),

  -- The result of the authentication, kept as evidence for a dispute. The CAVV is not kept.
  trans_status       char(1),
  eci                text check (char_length(eci) <= 2),
  ds_trans_id        text check (char_length(ds_trans_id) <= 64)
);

create index three_ds_session_shown on three_ds_session (expires_at) where challenge is not null;
-- For the purge; sessions with an authentication stay longer, as evidence.
create index three_ds_session_without_evidence on three_ds_session (expires_at)
  where trans_status is null and eci is null and ds_trans_id is null;

grant select, insert, update (acquirer_session, challenge, trans_status, eci, ds_trans_id)
  on three_ds_session to payments_app;

-- Hosted checkouts and payment links -----------------------------------------------------------------------------------

-- A hosted checkout: an amount that a buyer is to pay on our page.
create table checkout (
  checkout_id          uuid primary key,                 -- drawn by the gateway, random: whoever knows it can pay
  merchant_id          uuid not null,

  -- Changes only through the transition table in checkout.ts, under the row's lock, and only by guarded updates.
  state                text not null check (state in ('OPEN', 'COMPLETED', 'EXPIRED', 'CANCELLED')),

  transaction_type     text not null check (transaction_type in ('PRE_AUTHORIZATION', 'PAYMENT')),
  order_id             text not null check (char_length(order_id) between 1 and 64),
  customer_id          text check (char_length(customer_id) between 1 and 64),
  amount_minor         bigint not null check (amount_minor > 0),
  currency             char(3) not null,
  currency_exponent    smallint not null check (currency_exponent between 0 and 4),
  installment_options  smallint[] not null check (cardinality(installment_options) between 1 and 12),
  installment_prices   boolean not null default false,   -- the buyer pays for installments as the account says
  three_ds             boolean not null,                 -- the buyer's bank may ask for 3-D Secure
  -- Null where a payment link has no return URL: its page is the end of the way. In test mode a buyer's browser is the
  -- developer's, who may run the shop on the same machine.
  success_url          text constraint checkout_success_url_check check (char_length(success_url) <= 2048 and (
                         success_url ~* '^https://' or (
                           uuid_extract_version(merchant_id) is not distinct from 8
                           and success_url ~ '^http://(localhost|127\.0\.0\.1)([:/?#]|$)'))),
  failure_url          text constraint checkout_failure_url_check check (char_length(failure_url) <= 2048 and (
                         failure_url ~* '^https://' or (
                           uuid_extract_version(merchant_id) is not distinct from 8
                           and failure_url ~ '^http://(localhost|127\.0\.0\.1)([:/?#]|$)'))),
  payment_link_id      uuid,
  -- The issuer of the credential, as for a payment; its payments have it, too.
  credential_issued_by text check (char_length(credential_issued_by) between 1 and 1000),
  -- The goods, as the merchant names them to the buyer.
  buyer_text           text check (char_length(buyer_text) between 1 and 200),
  -- The merchant's details of the buyer, as the gateway sealed them for the checkout's id (CARD_SEALING_KEYS): they are
  -- needed when the buyer pays, and emptied with the checkout's end.
  sealed_details       jsonb check (octet_length(sealed_details::text) <= 131072),

  -- The latest attempt, whose outcome decides the state; its row is committed with this one's change.
  payment_id           uuid references payment,
  attempts             smallint not null default 0 check (attempts >= 0),

  created_at           timestamptz not null default now(),
  expires_at           timestamptz not null,
  closed_at            timestamptz,
  constraint checkout_attempted check ((payment_id is null) = (attempts = 0)),
  constraint checkout_ended check ((state = 'OPEN') = (closed_at is null))
);

-- Those that may have to be closed, and those that may go.
create index checkout_expiring on checkout (expires_at) where state = 'OPEN';
create index checkout_paying on checkout (payment_id) where state = 'OPEN' and payment_id is not null;
create index checkout_closed on checkout (closed_at) where closed_at is not null;
-- A payment that is removed is looked for here.
create index checkout_of_payment on checkout (payment_id) where payment_id is not null;

-- Lists of checkouts, newest first.
create index checkout_of_merchant on checkout (merchant_id, created_at, checkout_id);
create index checkout_of_order on checkout (order_id, created_at, checkout_id, merchant_id);

-- Cards that were tried on a payment link lately.
create index checkout_of_link on checkout (payment_link_id, expires_at) where payment_link_id is not null;

grant select, insert, update (state, payment_id, attempts, closed_at, sealed_details) on checkout to payments_app;

-- Every payment made for a checkout. An attempt has one number and a number one payment: whatever else might fail, two
-- payments cannot both be the second attempt.
create table checkout_payment (
  payment_id   uuid primary key references payment,
  checkout_id  uuid not null references checkout,
  attempt      smallint not null check (attempt >= 1),
  -- The buyer's choice on the page, in minor units of the payment: the first installment, and each of the others. Null
  -- for one payment in full.
  first_installment_minor   bigint check (first_installment_minor > 0),
  further_installment_minor bigint check (further_installment_minor > 0),
  unique (checkout_id, attempt)
);

grant select, insert on checkout_payment to payments_app;

-- An order, or many of the same kind, that buyers pay without a call of the merchant's server. Each buyer who begins gets
-- a checkout.
create table payment_link (
  payment_link_id      uuid primary key,                 -- generated by the gateway, random: whoever knows it can pay
  merchant_id          uuid not null,
  description          text not null check (char_length(description) between 1 and 200),
  order_id             text not null check (char_length(order_id) between 1 and 50),
  amount_minor         bigint not null check (amount_minor > 0),
  currency             char(3) not null,
  currency_exponent    smallint not null check (currency_exponent between 0 and 4),
  installment_options  smallint[] not null check (cardinality(installment_options) between 1 and 12),
  three_ds             boolean not null,
  -- In test mode it, too, may lead back to a shop on the developer's own machine.
  return_url           text constraint payment_link_return_url_check check (char_length(return_url) <= 2048 and (
                         return_url ~* '^https://' or (
                           uuid_extract_version(merchant_id) is not distinct from 8
                           and return_url ~ '^http://(localhost|127\.0\.0\.1)([:/?#]|$)'))),
  single_use           boolean not null,
  credential_issued_by text check (char_length(credential_issued_by) between 1 and 1000),

  -- The payment that holds a link for one payment. Another one may take the link once this one has failed.
  taken_by             uuid,

  created_at           timestamptz not null default now(),
  expires_at           timestamptz not null,
  disabled_at          timestamptz
);

create index payment_link_merchant on payment_link (merchant_id, created_at, payment_link_id);

grant select, insert, update (taken_by, disabled_at) on payment_link to payments_app;

-- Calls to banks -------------------------------------------------------------------------------------------------------

-- The one record of what may be at a bank: a row for each sending of each call that moves money or leads to it. It is
-- committed before the call is made, and nothing of it changes afterwards but the answer. Only the module
-- services/payments/src/bank/ledger writes it (docs/adr/0054). It has no reference, for the reason that the outbox has none.
create table bank_call (
  payment_id     uuid not null,
  account_id     uuid not null,
  -- The payment's n-th call. Of two processes that have read the same calls only one can begin the next.
  number         integer not null check (number >= 1),
  -- Rises where the bank has called a request too late without judging it: that reference is spent, and the movement is
  -- sent under the next one.
  sub_reference  smallint not null default 1 check (sub_reference >= 1),
  -- The operation or the refund that it is for; null for the payment's own calls.
  movement_id    uuid,
  amount_minor   bigint not null check (amount_minor > 0),
  sent_at        timestamptz not null default now(),     -- from here on it may be at the bank
  currency       char(3) not null,
  kind           text not null check (kind in (
                   'enrol', 'authorize', 'sale', 'capture', 'void', 'release', 'refund', 'reverse')),
  reference      text not null check (char_length(reference) between 1 and 128),   -- what the bank gets
  -- The bank's names of the order's movements of this kind before it was sent, where only a new name shows which one is ours.
  names_before   text[],

  -- The bank's answer, to the call itself or to an inquiry. Without one the call may have been carried out, whether its
  -- outcome is `unknown` or null because the process died.
  answered_at    timestamptz,
  outcome        text check (outcome in (
                   'enrolled', 'approved', 'declined', 'expired', 'reversed', 'nothing_found', 'settled', 'refused',
                   'not_sent', 'unknown')),
  external_transaction_id text,
  -- The same, where it is the name of this movement alone, and this call has brought it first.
  own_name       text,
  auth_code      text,
  result_code    text,
  result_message text,
  -- The amount that the bank says it approved, where that is another one; both null otherwise.
  approved_minor    bigint check (approved_minor > 0),
  approved_currency char(3),
  -- The time at which the bank approved the call itself, in an answer that its record has not shown, or not in this amount.
  -- Name, code and amount are those of that answer.
  heard_at          timestamptz,

  constraint bank_call_answered check ((answered_at is not null) = (outcome is not null and outcome <> 'unknown')),
  primary key (payment_id, number)
) with (fillfactor = 60);                                -- room for the answer beside the row: no index changes with a payment's

-- A bank's name belongs to one movement of a payment: a second one that is approved under it may be the answer to the first.
-- The payment is last, so that the answer to a refund is compared with other payments' names, too.
create unique index bank_call_own_name on bank_call (account_id, own_name, payment_id)
  where own_name is not null;

grant select, insert, update (answered_at, outcome, external_transaction_id, own_name, auth_code, result_code, result_message,
  approved_minor, approved_currency, heard_at) on bank_call to payments_app;

-- The service books a capture only as a call of the ledger explains it, and takes nothing back that was given back.
create function payment_amounts_are_explained() returns trigger language plpgsql set search_path = payments, pg_temp as $$
begin
  if new.captured_minor is distinct from old.captured_minor and not exists (
      select from bank_call where payment_id = new.payment_id and kind = 'capture'
        and new.captured_minor in (amount_minor, approved_minor)) then
    raise exception 'payment %: no call to the bank explains what is captured', new.payment_id
      using errcode = 'integrity_constraint_violation';
  end if;
  if new.refunded_minor < old.refunded_minor or new.released_minor < old.released_minor then
    raise exception 'payment %: what was given back stays so', new.payment_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
revoke execute on function payment_amounts_are_explained() from public;

create trigger payment_amounts before update of captured_minor, refunded_minor, released_minor on payment
  for each row when (current_user = 'payments_app' and (new.captured_minor is distinct from old.captured_minor
    or new.refunded_minor < old.refunded_minor or new.released_minor < old.released_minor))
  execute function payment_amounts_are_explained();

-- Captures, cancellations and expiries ---------------------------------------------------------------------------------

-- They exclude each other and reservations for refunds, since all of them go through the payment's row.
create table payment_operation (
  operation_id         uuid primary key,                 -- drawn by the gateway, or by the expiry worker
  payment_id           uuid not null references payment,
  kind                 text not null check (kind in ('CAPTURE', 'CANCEL', 'EXPIRY')),
  amount_minor         bigint not null check (amount_minor > 0),
  commission_minor     bigint not null check (commission_minor >= 0),
  reason               text check (char_length(reason) <= 200),
  credential_issued_by text check (char_length(credential_issued_by) between 1 and 1000),

  -- IN_FLIGHT until the acquirer's answer is known; DROPPED was never sent.
  state                text not null check (state in ('IN_FLIGHT', 'DONE', 'DECLINED', 'DROPPED')),
  result_code          text,
  result_message       text,

  traceparent          text check (char_length(traceparent) <= 64),
  created_at           timestamptz not null default now(),
  finished_at          timestamptz,
  constraint payment_operation_ended check ((state = 'IN_FLIGHT') = (finished_at is null))
);

create index payment_operation_payment on payment_operation (payment_id, created_at);
create unique index payment_operation_one_in_flight on payment_operation (payment_id) where state = 'IN_FLIGHT';

grant select, insert, update on payment_operation to payments_app;

-- Refunds --------------------------------------------------------------------------------------------------------------

-- Reservations of payments' amounts for refunds. A refusal and an end stay as tombstones: a late copy changes nothing.
create table refund_reservation (
  refund_id      uuid primary key,
  payment_id     uuid not null,
  merchant_id    uuid,                                   -- null for a refund that was ended before it was reserved
  amount_minor   bigint not null check (amount_minor >= 0),
  kind           text check (kind in ('refund', 'release')),
  state          text not null check (state in ('ACTIVE', 'SETTLED', 'RELEASED', 'REFUSED')),
  refusal        text,                                   -- JSON of the refusal, with state REFUSED

  -- The people who may not agree to it, since they asked for it or issued the credential that did.
  asked_by       text[] not null default '{}',
  -- The people who agree to it, by tokens that this service has verified, and when they were enough. Without that nothing is
  -- sent to a bank (docs/adr/0062).
  agreed_by      text[] not null default '{}',
  agreed_at      timestamptz check (agreed_at is null or cardinality(agreed_by) > 0),
  refused_at     timestamptz,                            -- the last line of the audit log about a sending without that

  created_at     timestamptz not null default now(),

  -- One person may have acted as an operator and as staff (packages/contracts/src/person.ts).
  constraint refund_is_agreed_by_others check (
    not string_to_array(regexp_replace(array_to_string(agreed_by, e'\n'), '^(operator|staff) ', '', 'gn'), e'\n')
      && string_to_array(regexp_replace(array_to_string(asked_by, e'\n'), '^(operator|staff) ', '', 'gn'), e'\n'))
);

create index refund_reservation_active on refund_reservation (payment_id) where state = 'ACTIVE';
-- A refund asks what else was sent to the bank for its payment.
create index refund_reservation_of_payment on refund_reservation (payment_id);
-- Tombstones of refused requests are kept as long as a late copy could come, and then purged.
create index refund_reservation_refused on refund_reservation (created_at) where state = 'REFUSED';

grant select, insert (refund_id, payment_id, merchant_id, amount_minor, kind, state, refusal, asked_by),
  update (state, agreed_by, agreed_at, refused_at), delete on refund_reservation to payments_app;

-- Payments whose outcome is unknown, or not what it should be ----------------------------------------------------------

-- Payments, operations and refunds that have ended although the bank had not seen them and could still carry them out. They
-- are looked at once more after the bank's day, payments until nothing of them is left there.
create table payment_watch (
  payment_id    uuid not null references payment,
  movement_id   uuid,                                    -- the operation or the refund; null for the payment itself
  due_at        timestamptz not null,
  attempts      integer not null default 0,
  sighted_at    timestamptz,                             -- when the bank showed money under the reference
  ended_at      timestamptz,
  last_inquiry  text check (length(last_inquiry) <= 100),
  constraint payment_watch_once unique nulls not distinct (payment_id, movement_id)
);

create index payment_watch_due on payment_watch (due_at) where ended_at is null;

grant select, insert, update (due_at, attempts, sighted_at, ended_at, last_inquiry) on payment_watch to payments_app;

-- One operator's statement of the outcome of an unresolved payment, until a second operator says the same.
create table payment_resolution (
  payment_id   uuid primary key references payment,
  outcome      text not null check (outcome in ('SUCCESS', 'FAILED')),
  evidence     text not null check (char_length(evidence) between 1 and 1000),
  proposed_by  text not null check (char_length(proposed_by) between 1 and 1000),
  proposed_at  timestamptz not null default now()
);

grant select, insert, update, delete on payment_resolution to payments_app;

-- Chargebacks ----------------------------------------------------------------------------------------------------------

-- Amounts that the bank takes of payments for their buyers. Cases count on the payment's row, from which refunds
-- reserve: a chargeback and a refund that is being paid see each other.
create table chargeback (
  chargeback_id     uuid primary key,
  payment_id        uuid not null references payment,
  merchant_id       uuid not null,
  -- REFUND: a bank's file has a refund that was not made here, such as one in the bank's panel.
  kind              text not null default 'CHARGEBACK' check (kind in ('CHARGEBACK', 'REFUND')),

  -- OPEN until its outcome is known. LOST still counts against the payment; the others do not.
  status            text not null default 'OPEN' check (status in ('OPEN', 'WON', 'LOST', 'WITHDRAWN')),
  amount_minor      bigint not null check (amount_minor > 0),
  currency          char(3) not null,
  -- The amount that counts now, in the payment's currency, and the part of it that was paid back already when the case
  -- was opened.
  counted_minor     bigint not null check (counted_minor >= 0),
  excess_minor      bigint not null check (excess_minor >= 0),
  -- The amount that the bank has given back.
  reversed_minor    bigint not null default 0 check (reversed_minor between 0 and amount_minor),

  -- The bank's account of the case.
  reason_code       text check (char_length(reason_code) between 1 and 64),
  bank_reference    text check (char_length(bank_reference) between 1 and 128),
  respond_by        timestamptz,

  -- The person who opened it; null for a line of a bank's file.
  opened_by         text check (char_length(opened_by) between 1 and 200),

  -- The outcome that one of two people proposes and another one confirms.
  proposed_outcome  text check (proposed_outcome in ('WON', 'LOST', 'WITHDRAWN')),
  proposed_by       text check (char_length(proposed_by) between 1 and 1000),
  proposed_at       timestamptz,
  outcome_reason    text check (char_length(outcome_reason) between 1 and 1000),
  decided_by        text check (char_length(decided_by) between 1 and 1000),

  created_at        timestamptz not null default now(),
  ended_at          timestamptz,

  constraint chargeback_ended check ((status = 'OPEN') = (ended_at is null)),
  constraint chargeback_given_back check (status not in ('WON', 'WITHDRAWN') or counted_minor = 0),
  constraint chargeback_proposed check (num_nulls(proposed_outcome, proposed_by, proposed_at) in (0, 3)),
  constraint chargeback_of_two_people check (decided_by is distinct from proposed_by or decided_by is null)
);

create index chargeback_of_payment on chargeback (payment_id);
create index chargeback_of_merchant on chargeback (merchant_id, chargeback_id);
create index chargeback_of_status on chargeback (status, chargeback_id);
-- Cases that the bank has to be answered about, by their deadline: they are few, and looked for each minute.
create index chargeback_to_answer on chargeback (respond_by) where status = 'OPEN' and respond_by is not null;

grant select, insert, update on chargeback to payments_app;

-- Chargebacks and reversals in banks' files, each line once however often it is sent. A reversal of what no case has
-- taken waits for its case.
create table chargeback_line (
  line_id         text primary key check (line_id ~ '^[0-9a-f]{64}$'),
  kind            text not null check (kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL', 'REFUND')),
  payment_id      uuid not null references payment,
  chargeback_id   uuid references chargeback,
  amount_minor    bigint not null check (amount_minor > 0),
  currency        char(3) not null,
  bank_reference  text check (char_length(bank_reference) <= 128),
  recorded_at     timestamptz not null default clock_timestamp(),
  constraint chargeback_line_has_a_case check (kind = 'CHARGEBACK_REVERSAL' or chargeback_id is not null)
);

create index chargeback_line_of_case on chargeback_line (chargeback_id) where chargeback_id is not null;
create index chargeback_line_waiting on chargeback_line (payment_id) where chargeback_id is null;

grant select, insert, update (chargeback_id) on chargeback_line to payments_app;

-- Files that are shown to the bank. One that is not whole yet has no sealed_at, and is deleted when it does not become so.
create table chargeback_evidence (
  evidence_id    uuid primary key,
  chargeback_id  uuid not null references chargeback,
  file_name      text not null check (char_length(file_name) between 1 and 200),
  bytes          integer not null check (bytes between 1 and 4194304),
  sha256         bytea not null check (octet_length(sha256) = 32),
  added_by       text not null check (char_length(added_by) between 1 and 1000),
  created_at     timestamptz not null default now(),
  sealed_at      timestamptz
);

create index chargeback_evidence_of_case on chargeback_evidence (chargeback_id);

grant select, insert, update (sealed_at), delete on chargeback_evidence to payments_app;

create table chargeback_evidence_part (
  evidence_id  uuid not null references chargeback_evidence on delete cascade,
  part         integer not null check (part between 0 and 15),
  -- AES-256-GCM under this key of FILE_KEYS, bound to the file and the part: a letter may show a whole card number.
  key_id       text not null check (char_length(key_id) between 1 and 32),
  content      bytea storage external not null check (octet_length(content) between 1 and 262244),
  primary key (evidence_id, part)
);

create index chargeback_evidence_part_of_key on chargeback_evidence_part (key_id);

grant select, insert, update (key_id, content), delete on chargeback_evidence_part to payments_app;

-- Accounts at banks ----------------------------------------------------------------------------------------------------

create table acquirer_account (
  account_id   uuid primary key,
  protocol     text not null check (length(protocol) <= 32),
  name         text not null unique check (length(name) between 1 and 100),
  currencies   text[] not null check (cardinality(currencies) between 1 and 50),
  state        text not null check (state in ('PROPOSED', 'ACTIVE', 'NO_NEW_PAYMENTS', 'CLOSED')),
  -- The default for payments that no route names: for live ones, and for those of test mode.
  is_default   boolean not null default false,
  is_test_default boolean not null default false,
  time_zone    text not null check (length(time_zone) <= 64),
  cut_off      text not null check (cut_off ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  late_arrival_ms bigint not null check (late_arrival_ms >= 0),
  connections_max integer not null check (connections_max between 1 and 10000),
  -- The version in use, null until the first one is confirmed.
  version      integer,
  -- The version under which a card was sent there first; from it on the terminal stays the same.
  used_version integer,
  created_at   timestamptz not null default now(),

  constraint acquirer_account_test_is_the_simulator check (
    uuid_extract_version(account_id) is distinct from 8 or protocol = 'sim'),
  constraint acquirer_account_default_is_of_its_mode check (
    case when uuid_extract_version(account_id) is not distinct from 8 then not is_default else not is_test_default end)
);

create unique index acquirer_account_default on acquirer_account (is_default) where is_default;
create unique index acquirer_account_test_default on acquirer_account (is_test_default) where is_test_default;

grant select, insert, update (name, currencies, state, is_default, is_test_default, time_zone, cut_off, late_arrival_ms,
  connections_max, version, used_version) on acquirer_account to payments_app;

-- Settings and credentials. Calls use the version in use, whatever they are about: a replaced password works for old
-- payments, too. What was replaced stays as evidence of who could speak for whom, and when.
create table acquirer_account_version (
  account_id     uuid not null references acquirer_account,
  version        integer not null,
  -- Everything of the account but protocol, settings and credentials, as it is once this version is in use.
  attributes     jsonb not null,
  settings       jsonb not null,
  -- AES-256-GCM under a key of ACCOUNT_SECRET_KEYS, bound to account, version and protocol.
  sealed_secrets bytea not null,
  proposed_by    text not null,
  proposed_at    timestamptz not null default now(),
  confirmed_by   text,
  confirmed_at   timestamptz,
  primary key (account_id, version)
);

-- Credentials are sealed again when the key that sealed them is replaced (keys reencrypt). Nothing else of a version
-- changes.
grant select, insert, update (confirmed_by, confirmed_at, sealed_secrets) on acquirer_account_version to payments_app;

-- The calls that an account may make in a minute: one row for each, which is free again a minute after it was taken.
create table acquirer_call_slot (
  account_id uuid not null references acquirer_account,
  slot       integer not null check (slot between 1 and 6000),
  taken_at   timestamptz not null default '-infinity',
  primary key (account_id, slot)
);

-- The search for a free slot begins with the one that was taken first.
create index acquirer_call_slot_taken_at on acquirer_call_slot (account_id, taken_at);

grant select, insert, update (taken_at) on acquirer_call_slot to payments_app;

-- A merchant's routes as one document, so that a change is one step. The highest confirmed version is in use.
create table merchant_route (
  merchant_id  uuid not null,
  version      integer not null,
  routes       jsonb not null,
  proposed_by  text not null,
  proposed_at  timestamptz not null default now(),
  confirmed_by text,
  confirmed_at timestamptz,
  primary key (merchant_id, version)
);

create index merchant_route_confirmed on merchant_route (merchant_id, version) where confirmed_at is not null;

grant select, insert, update (confirmed_by, confirmed_at) on merchant_route to payments_app;

-- Rules of merchants ---------------------------------------------------------------------------------------------------

-- Only merchants that have such rules leave rows here, so no other payment pays for them.

-- Payments that were let through to the bank, by merchant and card or address. One row for each, whose lock is what makes
-- the count exact whichever process asks; as many times as the rule allows, so a row has a bound.
create table rule_counter (
  merchant_id     uuid not null,
  kind            text not null check (kind in ('CARD', 'IP')),
  subject         text not null check (char_length(subject) between 1 and 64),   -- fingerprint in hex, or the address
  attempts        timestamptz[] not null check (cardinality(attempts) <= 1000),
  -- The result of the last statement that wrote it: how many it let through, and the rule it went by.
  granted         integer not null check (granted >= 0),
  attempts_max    integer not null check (attempts_max > 0),
  window_seconds  integer not null check (window_seconds > 0),
  expires_at      timestamptz not null,                  -- when nothing in it counts any more
  primary key (merchant_id, kind, subject)
);

create index rule_counter_expires on rule_counter (expires_at);

grant select, insert, update, delete on rule_counter to payments_app;

-- Payments let through for merchants whose decline rate is watched; how they ended is in payment_history.
create table rule_attempt (
  merchant_id   uuid not null,
  attempted_at  timestamptz not null default now(),
  payment_id    uuid not null,
  primary key (merchant_id, attempted_at, payment_id)
);

create index rule_attempt_age on rule_attempt (attempted_at);

grant select, insert, delete on rule_attempt to payments_app;

-- BINs -----------------------------------------------------------------------------------------------------------------

-- The BIN table an operator has imported. Only the owner of the schema writes it, by `npm run import-bins`; the service
-- reads it into memory, and the shipped table counts until there is an import.
create table bin_import (
  version      integer primary key generated always as identity,   -- the highest one counts
  ranges       integer not null check (ranges between 1 and 1000000),
  -- For people who look up which file it was, and since when.
  file_sha256  bytea not null check (octet_length(file_sha256) = 32),
  imported_at  timestamptz not null default now()
);

-- The ranges of the latest import alone: one replaces the other whole, in one transaction.
create table bin_range (
  version           integer not null references bin_import,
  digits            smallint not null check (digits between 6 and 8),
  bin_from          integer not null check (bin_from >= 0),
  bin_to            integer not null check (bin_to >= bin_from and bin_to < 10 ^ digits),
  card_scheme       text not null check (char_length(card_scheme) between 1 and 32),
  card_type         text not null check (card_type in ('CREDIT', 'DEBIT', 'PREPAID')),
  card_sub_type     text check (char_length(card_sub_type) between 1 and 32),
  issuer            text check (char_length(issuer) between 1 and 100),
  country           text not null check (country ~ '^[A-Z]{2}$'),
  loyalty_code      text check (char_length(loyalty_code) between 1 and 32),
  installments_max  smallint not null check (installments_max between 1 and 12),
  primary key (version, digits, bin_from)
);

grant select on bin_import, bin_range to payments_app;

-- Events ---------------------------------------------------------------------------------------------------------------

-- One row for each final state, committed with it; closed when the webhook dispatcher confirms that it has the event. An
-- event may be about a checkout that has no payment: `payment_id` then is the checkout's id. It has no reference: the
-- statement that ends a payment inserts the row, and a reference would lock the payment's row for each event and look
-- through all events for each payment that is removed.
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

grant select, insert, update (confirmed_at, publish_attempts, publish_at) on outbox to payments_app;

-- Idempotency ----------------------------------------------------------------------------------------------------------

-- The use of a merchant's Idempotency-Key; claimed with the payment, answered with its record.
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

grant select, insert, update (answer), delete on idempotency_key to payments_app;

-- Retention ------------------------------------------------------------------------------------------------------------

-- Retention ends all that grows with payments, except the payments themselves (docs/retention.md). Each function
-- deletes one page and reads not much more: by the order of a key where that is the order of time, else by an index of
-- what may go. A function whose page asks about other tables' rows has settings of the planner, which would rather read
-- such a table whole. They run as the owner, since the service may not remove such rows.

-- Deletes a page of the outbox: rows that are confirmed and older than given. An unconfirmed row stays, however old it is.
-- 3 days are the least that the settings allow. One process deletes, and the others find nothing to do. `after` is the end
-- of the page before. `reached` is the end of this one, and null when nothing is behind it.
create function purge_outbox(older_than interval, after uuid, rows_max integer, out deleted integer, out reached uuid)
language plpgsql security definer set search_path = payments, pg_temp as $$
declare
  -- Ids are UUIDv7, so their order is that of the events.
  too_young constant uuid := uuidv7(-older_than);
  ids uuid[];
begin
  if older_than < interval '3 days' or rows_max not between 1 and 10000 then
    raise exception 'what is younger than 3 days is kept, whoever asks' using errcode = '22023';
  end if;
  deleted := 0;
  if not pg_try_advisory_xact_lock(hashtext('payments.purge_outbox')) then return; end if;
  ids := array(select event_id from outbox where event_id > after and event_id < too_young order by event_id limit rows_max);
  if cardinality(ids) = rows_max then reached := ids[rows_max]; end if;
  delete from outbox where event_id = any(ids) and confirmed_at is not null;
  get diagnostics deleted = row_count;
end $$;

-- Deletes sessions of payments that are settled. An authentication stays longer, as evidence for a dispute.
create function purge_sessions(older_than interval, with_evidence boolean, rows_max integer) returns integer
language plpgsql security definer set search_path = payments, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ended_before constant timestamptz := now() - older_than;
  too_young constant uuid := uuidv7(-older_than);
  ids uuid[];
  deleted integer := 0;
begin
  if older_than < interval '1 day' or rows_max not between 1 and 10000 then
    raise exception 'what ended less than a day ago is kept, whoever asks' using errcode = '22023';
  end if;
  if not pg_try_advisory_xact_lock(hashtext('payments.purge_sessions')) then return 0; end if;
  if with_evidence then
    -- All others of this age are gone, so that this walk in the order of time meets what it deletes.
    ids := array(
      select payment_id from three_ds_session as session
      where payment_id < too_young and expires_at < ended_before
        and exists (select from payment where payment.payment_id = session.payment_id and recover_at is null)
      order by payment_id limit rows_max);
  else
    ids := array(
      select payment_id from three_ds_session as session
      where trans_status is null and eci is null and ds_trans_id is null and expires_at < ended_before
        and exists (select from payment where payment.payment_id = session.payment_id and recover_at is null)
      order by expires_at limit rows_max);
  end if;
  delete from three_ds_session where payment_id = any(ids);
  get diagnostics deleted = row_count;
  return deleted;
end $$;

-- Deletes checkouts that are closed, with their attempts, once each attempt's payment is settled.
create function purge_checkouts(older_than interval, rows_max integer) returns integer
language plpgsql security definer set search_path = payments, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ids uuid[];
  deleted integer := 0;
begin
  if older_than < interval '1 day' or rows_max not between 1 and 10000 then
    raise exception 'what ended less than a day ago is kept, whoever asks' using errcode = '22023';
  end if;
  if not pg_try_advisory_xact_lock(hashtext('payments.purge_checkouts')) then return 0; end if;
  ids := array(
    select checkout_id from checkout
    where closed_at < now() - older_than and not exists (
      select from checkout_payment as attempt join payment using (payment_id)
      where attempt.checkout_id = checkout.checkout_id and recover_at is not null)
    order by closed_at limit rows_max);
  delete from checkout_payment where checkout_id = any(ids);
  delete from checkout where checkout_id = any(ids);
  get diagnostics deleted = row_count;
  return deleted;
end $$;

revoke all on function
  purge_outbox(interval, uuid, integer), purge_sessions(interval, boolean, integer), purge_checkouts(interval, integer)
  from public;
grant execute on function
  purge_outbox(interval, uuid, integer), purge_sessions(interval, boolean, integer), purge_checkouts(interval, integer)
  to payments_app;

-- The progress of a task that changes old rows once: it goes on from there, and never reads what it has done.
create table purge_progress (
  task        text primary key check (char_length(task) <= 64),
  through_at  timestamptz not null default '-infinity',
  through_id  uuid not null default '00000000-0000-0000-0000-000000000000'
);

insert into purge_progress (task) values ('forget addresses');

grant select, update (through_at, through_id) on purge_progress to payments_app;

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

grant select, insert on audit_entry to payments_app;
-- The role that verifies the log can read it, and nothing else. The installation has made the role.
grant select on audit_entry to holdfast_auditor;

-- Migrations -----------------------------------------------------------------------------------------------------------

-- A service looks which migrations have run before it starts (docs/adr/0052).
grant select (name) on migration to payments_app;
