-- Chargebacks: what the bank takes of a payment for its buyer. They count on the payment's row, which refunds reserve from, so
-- of a chargeback and a refund that is being paid each sees the other. A process of the version before neither counts them nor
-- says what it sends.

alter table payment
  -- What the chargebacks count that were not given back, in the payment's currency. A bank's file decides it: it may be more
  -- than what is left.
  add column charged_back_minor bigint not null default 0;

-- The reference (its number) under which the refund may have been sent last; null while it certainly was not. It is written
-- under the payment's lock, before the bank is called: from then on the amount counts as paid.
alter table refund_reservation add column sent_reference smallint;

create table chargeback (
  chargeback_id     uuid primary key,
  payment_id        uuid not null references payment,
  merchant_id       uuid not null,

  -- OPEN until its outcome is known. LOST still counts against the payment; the others do not.
  status            text not null default 'OPEN' check (status in ('OPEN', 'WON', 'LOST', 'WITHDRAWN')),
  amount_minor      bigint not null check (amount_minor > 0),
  currency          char(3) not null,
  -- In the payment's currency: what counts now, and what of it was paid back already when the case was opened.
  counted_minor     bigint not null check (counted_minor >= 0),
  excess_minor      bigint not null check (excess_minor >= 0),
  -- What the bank has given back.
  reversed_minor    bigint not null default 0 check (reversed_minor between 0 and amount_minor),

  -- What the bank says about it.
  reason_code       text check (char_length(reason_code) between 1 and 64),
  bank_reference    text check (char_length(bank_reference) between 1 and 128),
  respond_by        timestamptz,

  -- Who opened it; null for a line of a bank's file.
  opened_by         text check (char_length(opened_by) between 1 and 200),

  -- What one of two people says.
  proposed_outcome  text check (proposed_outcome in ('WON', 'LOST', 'WITHDRAWN')),
  proposed_by       text check (char_length(proposed_by) between 1 and 200),
  outcome_reason    text check (char_length(outcome_reason) between 1 and 1000),
  decided_by        text check (char_length(decided_by) between 1 and 200),

  created_at        timestamptz not null default now(),
  ended_at          timestamptz,

  constraint chargeback_ended check ((status = 'OPEN') = (ended_at is null)),
  constraint chargeback_given_back check (status not in ('WON', 'WITHDRAWN') or counted_minor = 0),
  constraint chargeback_proposed check ((proposed_outcome is null) = (proposed_by is null)),
  constraint chargeback_of_two_people check (decided_by is distinct from proposed_by or decided_by is null)
);

create index chargeback_of_payment on chargeback (payment_id);
create index chargeback_of_merchant on chargeback (merchant_id, chargeback_id);
create index chargeback_of_status on chargeback (status, chargeback_id);

-- What the lines of banks' files have said, each once however often it is told. One that gives back what no case has taken
-- waits for its case.
create table chargeback_line (
  line_id         text primary key check (line_id ~ '^[0-9a-f]{64}$'),
  kind            text not null check (kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL')),
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

-- Files that are shown to the bank. One that is not whole yet has no sealed_at, and is deleted when it does not become so.
create table chargeback_evidence (
  evidence_id    uuid primary key,
  chargeback_id  uuid not null references chargeback,
  file_name      text not null check (char_length(file_name) between 1 and 200),
  bytes          integer not null check (bytes between 1 and 4194304),
  sha256         bytea not null check (octet_length(sha256) = 32),
  added_by       text not null check (char_length(added_by) between 1 and 200),
  created_at     timestamptz not null default now(),
  sealed_at      timestamptz
);

create index chargeback_evidence_of_case on chargeback_evidence (chargeback_id);

create table chargeback_evidence_part (
  evidence_id  uuid not null references chargeback_evidence on delete cascade,
  part         integer not null check (part between 0 and 15),
  content      bytea not null check (octet_length(content) between 1 and 262144),
  primary key (evidence_id, part)
);

-- Scans and pictures are compressed already.
alter table chargeback_evidence_part alter column content set storage external;

grant select, insert, update on chargeback to payments_app;
grant select, insert, update (chargeback_id) on chargeback_line to payments_app;
grant select, insert, update (sealed_at), delete on chargeback_evidence to payments_app;
grant select, insert, delete on chargeback_evidence_part to payments_app;
